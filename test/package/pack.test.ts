import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programs, shellLines, stepsOf } from "../../scripts/release/readme-lines.ts";
import { faultsOf, type PackedFile, unpublishable } from "../../scripts/release/tarball.ts";
import { missing } from "../support/missing.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OFFLINE = /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENOTCACHED|network/;
const README = readFileSync(join(ROOT, "README.md"), "utf8");

test("the packed package installs elsewhere, exports what it says, and the README's lines run from it", {
  timeout: 300_000,
}, async (t) => {
  try {
    const { stdout } = await run(process.execPath, [join(ROOT, "scripts/release/check.ts")], { cwd: ROOT });
    assert.match(stdout, /^release: running: .*parley run --dir .* "Read README\.md/m);
    assert.match(stdout, /^release: running: PARLEY_TOKEN=.* node hello\.mjs$/m);
    assert.match(stdout, /^release: loading the console$/m);
    assert.match(stdout, /^release: everything in the README runs from the package, with v\d+/m);
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    if (!OFFLINE.test(stderr)) throw error;
    return t.skip(missing("the network, to install the package's dependencies"));
  }
});

describe("the lines of the README", () => {
  test("each is known to the release check, and the server is started", () => {
    const steps = stepsOf(shellLines(README));
    assert.ok(steps.some(({ does }) => does === "serve"));
    assert.ok(steps.filter(({ does }) => does === "run").length >= 4);
  });

  test("a line that nobody has thought of is refused", () => {
    assert.throws(() => stepsOf(["rm -rf /"]), /knows, got: rm -rf \//);
  });

  test("lines of programs are no lines of the shell, and a remark is none of the line", () => {
    const page = "text\n\n    npm start        # serves\n\n```js\n// a.mjs\n    indented();\n```\n";
    assert.deepEqual(shellLines(page), ["npm start"]);
    assert.deepEqual(programs(page), [{ name: "a.mjs", text: "    indented();\n" }]);
  });
});

describe("the files of the package", () => {
  const file = (path: string, mode = 0o644): PackedFile => ({ path, size: 1, mode });
  const whole = [
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "schema/config.json",
    "docs/api.md",
    "dist/console/index.html",
  ];
  const good = [...whole.map((path) => file(path)), file("bin/parley.js", 0o755), file("dist/index.d.ts")];

  test("nothing is published without the address of its repository", () => {
    assert.match(unpublishable({}).join(), /expected `repository`/);
    assert.match(unpublishable({ repository: "x", private: true }).join(), /`private`/);
    assert.deepEqual(unpublishable({ repository: { type: "git", url: "x" } }), []);
  });

  test("a good list has no fault", () => assert.deepEqual(faultsOf(good), []));

  for (const [name, files, fault] of [
    ["a file is missing", good.slice(1), /expected package\.json/],
    ["a test slips in", [...good, file("test/a.test.js")], /test\/a\.test\.js does not belong/],
    ["TypeScript slips in", [...good, file("dist/a.ts")], /dist\/a\.ts: Node runs no TypeScript/],
    [
      "the command cannot be run",
      [...good.filter(({ mode }) => mode === 0o644), file("bin/parley.js")],
      /not executable/,
    ],
    ["it is huge", [...good, { ...file("dist/big.js"), size: 30_000_000 }], /expected at most/],
  ] as const) {
    test(`it is noticed when ${name}`, () => assert.match(faultsOf(files).join("\n"), fault));
  }
});

test("the package's face is right for every kind of importer", { timeout: 120_000 }, async () => {
  const { stdout } = await run("publint", ["run", "--strict", "--pack", "npm"], { cwd: ROOT, env: process.env }).catch(
    (error: { stdout: string }) => error,
  );
  assert.match(stdout, /All good!/);
});
