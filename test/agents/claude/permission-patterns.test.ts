import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { commandPattern, permitted } from "../../../src/agents/claude/permission-patterns.ts";
import { allows } from "../../../src/core/ledger/rules.ts";

describe("what an always grants", () => {
  const commands: [string, string][] = [
    ["npm run build", "npm run build …"],
    ["npm test", "npm test …"],
    ["npm test src/a.ts", "npm test …"],
    ["git status", "git status …"],
    ["git diff HEAD~1", "git diff HEAD~1"],
    ["touch a.txt", "touch …"],
    ["npm test; rm -rf .", "npm test; rm -rf ."],
    ["npm test && curl x", "npm test && curl x"],
    ["npm test $(whoami)", "npm test $(whoami)"],
    ["npm test `id`", "npm test `id`"],
    ["npm test\nrm x", "npm test\nrm x"],
    ["npm test > /etc/passwd", "npm test > /etc/passwd"],
    ["git log --output=x", "git log --output=x"],
    ["touch /etc/x", "touch /etc/x"],
    ["touch a/../../x", "touch a/../../x"],
    ["rm a", "rm a"],
    ["echo *", "echo %2A"],
    ["npm test …", "npm test %E2%80%A6"],
  ];
  for (const [command, pattern] of commands) {
    test(`${JSON.stringify(command)} is ${pattern}`, () => assert.equal(commandPattern(command), pattern));
  }

  test("a granted class covers no command beside it", () => {
    const rule = { action: "bash", patterns: [commandPattern("npm test")] };
    const asked = (command: string): boolean =>
      allows([rule], { kind: "permission", action: "bash", patterns: [commandPattern(command)] });
    assert.deepEqual(["npm test a", "npm test; rm x", "npm test -- --exec=x", "npm run test"].map(asked), [
      true,
      false,
      false,
      false,
    ]);
  });

  test("paths, hosts and tools", () => {
    const of = (tool: string, input: Record<string, unknown>): unknown => permitted(tool, input, "/project");
    assert.deepEqual(of("Edit", { file_path: "/project/a*b" }), { action: "edit", patterns: ["a%2Ab"] });
    assert.deepEqual(of("Write", { file_path: "/etc/x" }), { action: "edit", patterns: ["/etc/x"] });
    assert.deepEqual(of("WebFetch", { url: "https://example.com/a?b" }), {
      action: "webfetch",
      patterns: ["example.com"],
    });
    assert.deepEqual(of("mcp__git__push", { path: "/x" }), { action: "mcp__git__push", patterns: [] });
  });
});
