import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { projectCommands, splitFrontmatter } from "../../../src/gateway/commands/project-commands.ts";
import { temporary } from "../../support/server.ts";

async function project(t: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await temporary(t);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  return directory;
}

test("commands come from the files of a project and from its configuration", async (t) => {
  const directory = await project(t, {
    ".opencode/command/hello.md":
      "---\ndescription: greets\nagent: plan\nmodel: house/m\nsubtask: true\n---\nSay hello to $1\n",
    ".opencode/commands/git/log.md": "Show the log",
    ".claude/commands/fix.md": "---\ndescription: 'fixes: it'\nallowed-tools: [Bash]\n---\n\nFix $ARGUMENTS",
    ".opencode/command/notes.txt": "no command",
    "opencode.json": `{ // comments are fine
      "command": { "ship": { "template": "Ship $ARGUMENTS", "description": "ships" }, "broken": { "description": 1 } } }`,
  });
  const found = new Map((await projectCommands(directory)).map((command) => [command.name, command]));
  assert.deepEqual([...found.keys()].toSorted(), ["fix", "git/log", "hello", "ship"]);
  assert.deepEqual(found.get("hello"), {
    name: "hello",
    template: "Say hello to $1",
    file: ".opencode/command/hello.md",
    description: "greets",
    mode: "plan",
    model: "house/m",
    subtask: true,
  });
  const fix = { name: "fix", template: "Fix $ARGUMENTS", file: ".claude/commands/fix.md", description: "fixes: it" };
  assert.deepEqual(found.get("fix"), fix);
  const ship = { name: "ship", template: "Ship $ARGUMENTS", file: "opencode.json", description: "ships" };
  assert.deepEqual(found.get("ship"), ship);
});

test("what leads out of the directory, is too big or cannot be read is no command", async (t) => {
  const outside = await project(t, { "secret.md": "secret", "more/other.md": "secret" });
  const directory = await project(t, {
    ".opencode/command/big.md": "x".repeat(300_000),
    ".claude/commands/odd.md": "---\n: : [\n---\nStill a body",
    "opencode.json": "{ not json",
  });
  await symlink(join(outside, "secret.md"), join(directory, ".opencode/command/link.md"));
  await symlink(join(outside, "more"), join(directory, ".opencode/commands"));
  assert.deepEqual(await projectCommands(directory), [
    { name: "odd", template: "Still a body", file: ".claude/commands/odd.md" },
  ]);
  assert.deepEqual(await projectCommands(join(directory, "nowhere")), []);
});

test("a head needs its two lines of dashes", () => {
  assert.deepEqual(splitFrontmatter("---\r\ndescription: d\r\n---\r\nbody\r\n"), {
    known: { description: "d" },
    body: "body",
  });
  assert.deepEqual(splitFrontmatter("---\n---\nbody"), { known: {}, body: "body" });
  assert.deepEqual(splitFrontmatter("---\ndescription: a---\n---\nbody").known, { description: "a---" });
  assert.deepEqual(splitFrontmatter("no head --- at all"), { known: {}, body: "no head --- at all" });
  assert.deepEqual(splitFrontmatter("---\nnever closed"), { known: {}, body: "---\nnever closed" });
});
