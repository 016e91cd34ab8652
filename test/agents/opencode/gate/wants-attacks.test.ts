import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { wantsOf } from "../../../../src/agents/opencode/gate/wants.ts";

/** A directory with links: `link` to the folder `secret`, `file` to a file in it that is not there, and `out` to a folder outside. */
function linked(t: TestContext): { directory: string; outside: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-wants-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [directory, outside] = [join(root, "project"), join(root, "outside")];
  mkdirSync(join(directory, "secret"), { recursive: true });
  mkdirSync(outside);
  symlinkSync("secret", join(directory, "link"));
  symlinkSync("link/new.txt", join(directory, "file"));
  symlinkSync(outside, join(directory, "out"));
  symlinkSync("round", join(directory, "round"));
  return { directory, outside };
}

const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

test("rules are held against the files that links lead to, also where none is there yet", (t) => {
  const { directory, outside } = linked(t);
  const wants = (tool: string, input: object): unknown[] =>
    wantsOf({ session: "s", call: "c", tool, input: { ...input } }, directory).map(({ action, patterns }) => [
      action,
      patterns,
    ]);
  const file = (path: string): object => ({ filePath: path });
  assert.deepEqual(wants("write", file("secret/a.txt")), [["edit", ["secret/a.txt"]]]);
  assert.deepEqual(wants("write", file(`${directory}/link/a.txt`)), [["edit", ["link/a.txt", "secret/a.txt"]]]);
  assert.deepEqual(wants("edit", file("file")), [["edit", ["file", "secret/new.txt"]]]);
  assert.deepEqual(wants("read", file("link/deep/a.txt")), [["read", ["link/deep/a.txt", "secret/deep/a.txt"]]]);
  assert.deepEqual(wants("read", file("round")), [["read", ["round"]]]);
  assert.deepEqual(wants("write", file("out/a.txt")), [
    ["external_directory", [`${outside}/%2A`]],
    ["edit", ["out/a.txt", `${outside}/a.txt`]],
  ]);
  const patchText = patch("*** Add File: ok.txt", "+x", "*** Update File:secret/a", "*** Move to:link/b");
  assert.deepEqual(wants("apply_patch", { patchText }), [["edit", ["ok.txt", "secret/a", "link/b", "secret/b"]]]);
  assert.deepEqual(wants("grep", { pattern: "x", path: outside }), [
    ["external_directory", [`${outside}/%2A`]],
    ["grep", ["x"]],
  ]);
  assert.deepEqual(wants("glob", { pattern: "x", path: "secret" }), [["glob", ["x"]]]);
  assert.deepEqual(wants("glob", { pattern: "x" }), [["glob", ["x"]]]);
});

test("a patch that names no file cannot be held against rules", (t) => {
  const { directory } = linked(t);
  for (const patchText of ["", patch("*** Add  File: a", "+x")])
    assert.throws(
      () => wantsOf({ session: "s", call: "c", tool: "apply_patch", input: { patchText } }, directory),
      /which files/,
    );
});
