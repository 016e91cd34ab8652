import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { permitted } from "../../../src/agents/claude/permission-patterns.ts";

const HERE = { directory: "/project", place: "/project" };

describe("the grant of an always", () => {
  test("a command is told whole, with the family that would be allowed", () => {
    assert.deepEqual(permitted("Bash", { command: "npm run deploy prod" }, HERE), {
      action: "bash",
      command: "npm run deploy prod",
      patterns: ["npm run deploy *"],
    });
  });

  test("paths, hosts and tools", () => {
    const of = (tool: string, input: Record<string, unknown>): unknown => permitted(tool, input, HERE);
    assert.deepEqual(of("Edit", { file_path: "/project/a*b" }), { action: "edit", patterns: ["a%2Ab"] });
    assert.deepEqual(of("Edit", { file_path: "sub/.././.env" }), { action: "edit", patterns: [".env"] });
    assert.deepEqual(of("Read", { file_path: "/project/../etc/x" }), { action: "read", patterns: ["/etc/x"] });
    assert.deepEqual(of("Write", { file_path: "/etc/x" }), { action: "edit", patterns: ["/etc/x"] });
    assert.deepEqual(of("WebFetch", { url: "https://example.com/a?b" }), {
      action: "webfetch",
      patterns: ["example.com"],
    });
    assert.deepEqual(of("mcp__git__push", { path: "/x" }), { action: "mcp__git__push", patterns: [] });
  });

  test("a call that begins elsewhere names its files from there, and its command says where", () => {
    const there = { directory: "/project", place: "/project/.claude/worktrees/a b" };
    assert.deepEqual(permitted("Edit", { file_path: "../../../.env" }, there).patterns, [".env"]);
    assert.deepEqual(permitted("Edit", { file_path: "/project/.env" }, there).patterns, [".env"]);
    const { command } = permitted("Bash", { command: "ls" }, there);
    assert.equal(command, "cd '/project/.claude/worktrees/a b' && ls");
  });
});
