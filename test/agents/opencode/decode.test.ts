import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ChangingCall, filesOf } from "../../../src/agents/opencode/decode/files.ts";
import { usageOf } from "../../../src/agents/opencode/decode/usage.ts";
import type { Fields } from "../../../src/core/json/fields.ts";

const WRITTEN = { filepath: "/work/a.txt", exists: false };
const ADDED = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
const SHOWN = "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-old\n+one\n";

describe("the files of a call", () => {
  const write = { tool: "write", input: { filePath: "/work/a.txt", content: "one\ntwo\n" } };
  const cases: [name: string, call: ChangingCall, metadata: Fields, expected: object[]][] = [
    [
      "a new file has the diff of its content",
      write,
      WRITTEN,
      [{ path: "a.txt", kind: "added", diff: ADDED, additions: 2, deletions: 0 }],
    ],
    [
      "a file that was written over has the diff that was shown when the program asked",
      { ...write, diff: SHOWN.replaceAll("a.txt", "/work/a.txt") },
      { ...WRITTEN, exists: true },
      [{ path: "a.txt", kind: "modified", diff: SHOWN }],
    ],
    [
      "without an ask the diff is not known",
      write,
      { ...WRITTEN, exists: true },
      [{ path: "a.txt", kind: "modified" }],
    ],
    [
      "an edit has the program's own",
      { tool: "edit" },
      { diff: SHOWN.replaceAll("a.txt", "/work/a.txt"), filediff: { file: "/work/a.txt", additions: 1, deletions: 1 } },
      [{ path: "a.txt", kind: "modified", diff: SHOWN, additions: 1, deletions: 1 }],
    ],
    ["a command has none", { tool: "bash" }, { output: "one" }, []],
  ];
  for (const [name, call, metadata, expected] of cases)
    test(name, () => assert.deepEqual(filesOf(call, metadata, "/work"), expected));
});

test("reasoning is a part of the output, and is counted once", () => {
  const told = { input: 100, output: 3, reasoning: 4, cache: { read: 10, write: 0 } };
  assert.deepEqual(usageOf({ tokens: told, cost: 0 }), {
    tokens: { input: 100, output: 7, reasoning: 4, cacheRead: 10, cacheWrite: 0 },
    context: { used: 117 },
  });
});
