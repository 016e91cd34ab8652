import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { VARIABLES } from "../../src/credentials/variables.ts";
import { Home } from "../cli/support.ts";

const page = readFileSync(new URL("../../docs/credentials.md", import.meta.url), "utf8");

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "m").exec(page)?.[1] ?? assert.fail(`no ${language}`);
}

const cells = (table: string): string[][] =>
  table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));

test("the file in the documentation gives the table in the documentation", async () => {
  await using home = new Home();
  const store = home.write(".local/share/opencode/auth.json", block("json"));
  chmodSync(store, 0o600);
  const env = { XDG_DATA_HOME: join(home.root, ".local/share"), ANTHROPIC_API_KEY: "not-a-real-key" };
  const { stdout, code } = await home.run(["credentials"], { env });
  assert.equal(code, 0);
  assert.deepEqual(cells(stdout), cells(block("text")));
});

test("the warning in the documentation is what is said", async () => {
  await using home = new Home();
  chmodSync(home.write(".codex/auth.json", '{"OPENAI_API_KEY":"k"}'), 0o644);
  const { stderr } = await home.run(["credentials"]);
  const [warning = assert.fail("no warning")] = /parley: warning: .*/.exec(page) ?? [];
  assert.ok(stderr.replaceAll(home.root, "/home/me").includes(`${warning}\n`), stderr);
});

test("the documentation names every variable, in the order in which they count, with its readers", () => {
  const order = /## Order\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
  const places = VARIABLES.map(({ name }) => order.indexOf(`\`${name}\``));
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  for (const { name, readBy, kind } of VARIABLES) {
    const row = order.split("\n").find((line) => line.includes(`\`${name}\``)) ?? assert.fail(name);
    const [, , , said, readers = ""] = row.split("|").map((cell) => cell.trim());
    assert.equal(said, kind, name);
    assert.ok(readers.startsWith(readBy.join(", ") || "nobody"), `${name}: ${readers}`);
  }
});

const COMMANDS = [...page.matchAll(/^ {4}(parley credentials.*)$/gm)].map(([, line = ""]) => line);

test("the commands in the documentation do what they say", async () => {
  await using home = new Home();
  const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b" };
  assert.ok(COMMANDS.length >= 4);
  for (const line of COMMANDS) {
    const [, ...args] = line.replace(/ \|.*/, "").split(" ");
    const { code, stderr } = await home.run(args, { env });
    const refused = args.includes("--export") && !args.includes("--to-pipe");
    assert.equal(code, refused ? 2 : 0, `${line}\n${stderr}`);
  }
});

test("the documentation names every field, state and code that programs are told", async () => {
  const programs = /## For programs\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
  await using home = new Home();
  chmodSync(home.write(".codex/auth.json", '{"OPENAI_API_KEY":"k"}'), 0o644);
  const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_AUTH_TOKEN: "t" };
  const { stdout } = await home.run(["credentials", "--json"], { env });
  const { credentials, problems, ...rest } = JSON.parse(stdout) as Record<string, object[]>;
  const fields = [...(credentials ?? []), ...(problems ?? []), rest].flatMap((one) => Object.keys(one));
  const words = ["credentials", "problems", ...fields, "used", "shadowed", "expired", "unread"];
  const codes = ["broken", "unreadable", "not_a_file", "too_large", "open_to_others", "odd_entry"];
  for (const word of new Set([...words, ...codes])) assert.ok(programs.includes(`\`${word}\``), word);
});
