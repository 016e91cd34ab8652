import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { filesOf } from "../../../src/agents/acp/decode/files.ts";
import { toolName } from "../../../src/agents/acp/decode/tool-names.ts";
import { permissionOf } from "../../../src/agents/acp/permissions.ts";
import { readLine } from "../../../src/agents/acp/read-line.ts";
import { linesOf } from "../../../src/agents/acp/serve/files.ts";

describe("the name of a tool", () => {
  for (const [call, name] of [
    [{ name: "Read", kind: "read" }, "Read"],
    [{ _meta: { claudeCode: { toolName: "Bash" } }, kind: "execute" }, "Bash"],
    [{ kind: "execute", title: "ls -la" }, "bash"],
    [{ kind: "read", title: "hello.txt" }, "read"],
    [{ kind: "edit", title: "write" }, "write"],
    [{ kind: "edit", title: "a.txt", rawInput: { filePath: "a.txt", content: "x" } }, "write"],
    [{ kind: "edit", title: "a.txt", rawInput: { oldString: "a", newString: "b" } }, "edit"],
    [{ kind: "search", title: "foo" }, "grep"],
    [{ kind: "fetch" }, "webfetch"],
    [{ kind: "think", title: "Look around", rawInput: { subagent_type: "explore" } }, "task"],
    [{ kind: "other", title: "lab_add" }, "lab_add"],
    [{ kind: "other", title: "Something with words" }, "other"],
    [{ title: "x" }, "other"],
    [{ name: "exec_command", kind: "read", title: "Read a" }, "read"],
    [{ name: "exec_command", kind: "execute", rawInput: { command: "ls" } }, "exec_command"],
    [{ kind: "constructor" }, "other"],
  ] as const)
    test(`${JSON.stringify(call)} is ${name}`, () => assert.equal(toolName(call), name));
});

describe("a permission in the words of rules", () => {
  for (const [call, action, about] of [
    [
      { kind: "execute", rawInput: { command: "git status" } },
      "bash",
      { command: "git status", patterns: ["git status *"] },
    ],
    [{ kind: "execute", rawInput: { command: ["bash", "-lc", "ls | wc"] } }, "bash", { command: "ls | wc" }],
    [
      { kind: "execute", rawInput: { command: ["git", "commit", "-m", "a b"] } },
      "bash",
      { command: "git commit -m 'a b'" },
    ],
    [{ kind: "execute", rawInput: { command: "ls", cwd: "/p/sub" } }, "bash", { command: "cd /p/sub && ls" }],
    [{ kind: "other", rawInput: { command: "rm x" } }, "bash", { command: "rm x" }],
    [{ kind: "execute", title: "rm x" }, "bash", { command: "rm x" }],
    [{ kind: "edit", rawInput: { file_path: "/p/a*.txt" } }, "edit", { patterns: ["a%2A.txt"] }],
    [{ kind: "edit", content: [{ type: "diff", path: "/p/b", newText: "x" }] }, "edit", { patterns: ["b"] }],
    [{ kind: "delete", locations: [{ path: "/else/c" }] }, "edit", { patterns: ["/else/c"] }],
    [
      { kind: "edit", rawInput: { patch: "*** Begin Patch\n*** Update File: d\n*** End Patch" } },
      "edit",
      { patterns: ["d"] },
    ],
    [{ kind: "read", rawInput: { path: "a" } }, "read", { patterns: ["a"] }],
    [{ kind: "edit", rawInput: { command: "str_replace", path: "/p/.env" } }, "edit", { patterns: [".env"] }],
    [{ kind: "other", rawInput: { command: "create", path: "/p/.env" } }, "edit", { patterns: [".env"] }],
    [{ rawInput: { command: "view", path: "/p/.env" } }, "read", { patterns: [".env"] }],
    [{ kind: "execute", rawInput: { command: "create", path: "/p" } }, "bash", { command: "create" }],
    [{ kind: "edit", rawInput: { command: "rm x", path: "/p" } }, "bash", { command: "rm x" }],
    [
      { kind: "move", rawInput: { source: "/p/a", destination: "/p/.env" }, locations: [{ path: "/p/a" }] },
      "edit",
      { patterns: ["a", ".env"] },
    ],
    [
      { kind: "edit", rawInput: { path: "a" }, locations: [{ path: "/p/a" }, { path: "/p/.env" }] },
      "edit",
      { patterns: ["a", ".env"] },
    ],
    [{ kind: "delete", rawInput: { paths: ["a", "/p/.env"] } }, "edit", { patterns: ["a", ".env"] }],
    [{ kind: "fetch", rawInput: { url: "https://example.com/x" } }, "webfetch", { patterns: ["example.com"] }],
    [{ kind: "other", name: "mcp__lab__add" }, "mcp__lab__add", { patterns: [] }],
  ] as const)
    test(`${JSON.stringify(call)} is ${action}`, () => {
      const told = permissionOf(call, "/p") as unknown as Record<string, unknown>;
      assert.equal(told.action, action);
      for (const [name, value] of Object.entries(about)) assert.deepEqual(told[name], value);
    });
});

describe("the files of diffs", () => {
  const read = (text: string | undefined) => () => text;
  test("several changes of one file are one", () => {
    const diffs = [
      { path: "/p/a", before: "1", after: "one" },
      { path: "/p/a", before: "3", after: "three" },
    ];
    const [file, ...others] = filesOf(diffs, "/p", read("one\n2\nthree\n"));
    assert.equal(others.length, 0);
    assert.equal(file?.diff, "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n-3\n+three\n");
  });

  test("a part whose place is not certain is told as it is", () => {
    const diffs = [{ path: "a", before: "x", after: "y" }];
    for (const now of [undefined, "y y", "nothing"]) {
      const [file] = filesOf(diffs, "/p", read(now));
      assert.deepEqual([file?.additions, file?.deletions, file?.kind], [1, 1, "modified"]);
    }
  });
});

test("lines of a file are picked by their numbers", () => {
  const text = "1\n2\n3\n";
  assert.equal(linesOf(text, undefined, undefined), text);
  assert.equal(linesOf(text, 2, undefined), "2\n3\n");
  assert.equal(linesOf(text, 1, 2), "1\n2\n");
  assert.equal(linesOf("1\n2", 2, 5), "2");
  assert.equal(linesOf(text, 9, 1), "");
});

test("a line is an answer, a request, a notification or noise", () => {
  assert.equal(readLine('{"id":1,"result":{}}').what, "answer");
  assert.equal(readLine('\u001b[0m{"id":"a","method":"x"}').what, "request");
  assert.equal(readLine('{"method":"x"}').what, "notification");
  assert.equal(readLine('{"id":{},"method":"x"}').what, "notification");
  for (const line of ["hello", "1", "[]", "{}", '{"id":1}']) assert.equal(readLine(line).what, "nothing");
});
