import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { flagLayer } from "../../../src/cli/command-options.ts";
import { serveCommand } from "../../../src/cli/commands/serve.ts";
import { treeOf } from "../../../src/cli/completion/tree.ts";
import { oneOf } from "../../../src/cli/config/kinds.ts";
import { environmentLayer, fileLayer } from "../../../src/cli/config/layers.ts";
import { readConfig } from "../../../src/cli/config/read-file.ts";
import { configJsonSchema } from "../../../src/cli/config/schema.ts";
import { defaultSettings } from "../../../src/cli/config/settings.ts";
import { SETTINGS, type Table } from "../../../src/cli/config/table.ts";
import { limitProject } from "../../../src/cli/config/trust.ts";
import { settingsPage, withSettings } from "./settings-page.ts";

const SCHEMA = new URL("../../../schema/config.json", import.meta.url);
const PAGE = new URL("../../../docs/configuration.md", import.meta.url);

test("schema/config.json follows the table of settings; UPDATE_DOCS=1 writes it", () => {
  const text = `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`;
  if (process.env.UPDATE_DOCS) {
    writeFileSync(SCHEMA, text);
    execFileSync("biome", ["format", "--write", fileURLToPath(SCHEMA)]);
  }
  assert.deepEqual(JSON.parse(readFileSync(SCHEMA, "utf8")), JSON.parse(text));
});

test("docs/configuration.md follows the table of settings; UPDATE_DOCS=1 writes it", () => {
  const page = withSettings(readFileSync(PAGE, "utf8"), SETTINGS);
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, page);
  assert.equal(readFileSync(PAGE, "utf8"), page);
});

const WITH_COFFEE: Table = {
  ...SETTINGS,
  coffee: {
    kind: oneOf(["weak", "strong"]),
    means: "how the coffee is made",
    more: "Only in the morning",
    sets: "brew",
    default: "weak",
    variable: "PARLEY_COFFEE",
    flag: "--coffee <strength>",
    group: "Output:",
    file: "any",
    trustedValue: "strong",
  },
};

test("one row in the table makes a flag with its help and its completion", async () => {
  const command = serveCommand(WITH_COFFEE).exitOverride();
  assert.match(
    command.helpInformation().replaceAll(/\s+/g, " "),
    /--coffee <strength> how the coffee is made \(default weak\) \(choices: "weak", "strong"\)/,
  );
  command.parseOptions(["--coffee", "strong", "--root", "/a,b", "--root", "/c", "--no-native"]);
  assert.deepEqual(flagLayer(command, WITH_COFFEE), { brew: "strong", roots: ["/a,b", "/c"], keepNative: false });
  const option = treeOf(command).options.find(({ names }) => names.includes("--coffee"));
  assert.deepEqual(option?.value, { kind: "values", values: ["weak", "strong"] });
});

test("one row in the table makes a variable, a key of the files and a default", () => {
  assert.deepEqual(environmentLayer({ PARLEY_COFFEE: "strong" }, WITH_COFFEE), { brew: "strong" });
  assert.throws(
    () => environmentLayer({ PARLEY_COFFEE: "none" }, WITH_COFFEE),
    /^CliError: PARLEY_COFFEE: expected one of weak, strong, got "none"/,
  );
  const config = readConfig('{ "coffee": "strong" }', "/c.jsonc", WITH_COFFEE);
  assert.deepEqual(fileLayer(config, "/c.jsonc", "/home/me", WITH_COFFEE), { brew: "strong" });
  assert.throws(
    () => readConfig('{ "coffee": "none" }', "/c.jsonc", WITH_COFFEE),
    /^CliError: \/c\.jsonc:1:13: coffee: expected one of "weak", "strong", got "none"/,
  );
  assert.throws(() => readConfig('{ "cofee": "weak" }', "/c.jsonc", WITH_COFFEE), /did you mean "coffee"\?/);
  assert.equal((defaultSettings("/d", WITH_COFFEE) as { brew?: string }).brew, "weak");
});

test("one row in the table says which projects may hold the setting", () => {
  const refused = (coffee: string, trusted: boolean): string[] =>
    limitProject({ coffee }, trusted, "/repo", WITH_COFFEE).refused.map(({ key }) => key);
  assert.deepEqual(refused("weak", false), []);
  assert.deepEqual(refused("strong", false), ["coffee"]);
  assert.deepEqual(refused("strong", true), []);
});

test("one row in the table makes a row in the documentation", () => {
  assert.equal(
    settingsPage(WITH_COFFEE).at(-1),
    "| `coffee` | `PARLEY_COFFEE` | `--coffee` | `weak` | yes; `strong` if it is trusted | how the coffee is made. One of `weak`, `strong`. Only in the morning |",
  );
});

test("a setting without a flag, a variable or a key is found in none of these", () => {
  const { coffee, ...others } = WITH_COFFEE;
  assert.deepEqual(others, SETTINGS);
  assert.deepEqual(environmentLayer({ PARLEY_COFFEE: "strong" }), {});
  assert.throws(() => readConfig('{ "coffee": "weak" }', "/c"), /unknown key "coffee"/);
  assert.throws(() => readConfig('{ "tokenFile": "/t" }', "/c"), /unknown key "tokenFile"$/);
});

test("the table and the flags load without the library of the schemas", () => {
  const source = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { serveCommand } = await import(${JSON.stringify(new URL("../../../src/cli/commands/serve.ts", import.meta.url).href)});
    serveCommand();
    console.log(JSON.stringify(loaded));
  `;
  const loaded = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" }),
  ) as string[];
  assert.ok(loaded.some((url) => url.endsWith("/config/table.ts")));
  assert.deepEqual(
    loaded.filter((url) => /node_modules\/(zod|jsonc-parser)\//.test(url)),
    [],
  );
});
