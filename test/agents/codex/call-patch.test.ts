import assert from "node:assert/strict";
import { test } from "node:test";
import { patchedByLine } from "../../../src/agents/codex/calls/patch.ts";
import { describeCall } from "../../../src/agents/codex/calls/permissions.ts";
import { patchedFiles } from "../../../src/agents/patched-files.ts";

const patchOf = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const CHANGES = [
  "*** Add File: new.txt",
  "+*** Add File: words.txt",
  "*** Update File: a b.txt\r",
  "*** Move to: /elsewhere/c.txt",
  "*** Delete File: new.txt",
];

test("the files of a patch are those that it adds, changes, removes and moves to", () => {
  assert.deepEqual(patchedFiles(patchOf(...CHANGES)), ["new.txt", "a b.txt", "/elsewhere/c.txt"]);
  assert.deepEqual(patchedFiles("echo '*** Add File: x'"), []);
});

const HEADERS: [line: string, file: string][] = [
  ["  *** Add File: x", "x"],
  ["\t*** Delete File: x\t", "x"],
  ["\u0085*** Add File: \u0085x\u0085", "x"],
  ["\u00a0*** Update File: x\u00a0", "x"],
  ["*** Add File: a\u2028/../x", "a\u2028/../x"],
  ["*** Add File: a\r/../x\r", "a\r/../x"],
];

test("a header is read as the program reads it", () => {
  for (const [line, file] of HEADERS) assert.deepEqual(patchedFiles(patchOf(line)), [file], JSON.stringify(line));
});

const PLACES: [head: string, files: string[]][] = [
  ["apply_patch", ["/work/x"]],
  ["cd sub && apply_patch", ["/work/sub/x"]],
  [`  cd "my sub"  &&  applypatch`, ["/work/my sub/x"]],
  ["cd /else && apply_patch", ["/else/x"]],
  ["cd -P sub && apply_patch", ["/work/sub/x"]],
  ["cd sub; apply_patch", ["/work/sub/x", "/work/x"]],
  ["cd a && cd b && apply_patch", ["/work/a/b/x", "/work/x"]],
];

test("a patch in a line of shell is applied where the line goes first", () => {
  for (const [head, files] of PLACES) {
    const line = `${head} <<'EOF'\n${patchOf("*** Add File: x", `+${"long ".repeat(10_000)}`)}\nEOF`;
    assert.deepEqual(patchedByLine(line, "/work"), files, head);
  }
  assert.deepEqual(patchedByLine(`cd sub && apply_patch '${patchOf("*** Add File: x")}'`, "/work"), ["/work/sub/x"]);
});

test("a shell in the model's own words is shown to rules", () => {
  const call = { thread: "thread", call: "call", tool: "Bash", directory: "/work" };
  for (const command of ["bash -c ls", "/work/bin/bash -c ls"])
    assert.equal(describeCall({ ...call, input: { command } }, "/work").wants[0].command, command);
});
