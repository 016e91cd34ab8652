import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withPreview } from "../../../src/agents/claude/edit-preview.ts";

const LINES = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`);

function place(t: { after(done: () => void): void }): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "parley-preview-")));
  t.after(() => rmSync(base, { recursive: true }));
  const directory = join(base, "project");
  mkdirSync(directory);
  writeFileSync(join(directory, "a.txt"), LINES.join(""));
  writeFileSync(join(directory, "dos.txt"), LINES.join("").replaceAll("\n", "\r\n"));
  writeFileSync(join(directory, "binary"), Buffer.from([0xff, 0xfe, 0]));
  writeFileSync(join(base, "secret.txt"), "secret\n");
  symlinkSync(join(base, "secret.txt"), join(directory, "link.txt"));
  return directory;
}

function diffOf(directory: string, tool: string, input: Record<string, unknown>): unknown {
  const signal = withPreview(
    { type: "permission", ask: "1", action: "edit", input, metadata: { tool, reason: "r" } },
    directory,
  );
  assert.ok(signal.type === "permission");
  assert.equal(signal.metadata?.reason, "r");
  return signal.metadata?.diff;
}

test("an ask for an edit shows the lines of the file with their numbers", (t) => {
  const directory = place(t);
  const edit = { old_string: "line 40", new_string: "line $& forty" };
  const hunk =
    "@@ -37,7 +37,7 @@\n line 37\n line 38\n line 39\n-line 40\n+line $& forty\n line 41\n line 42\n line 43\n";
  for (const file of ["a.txt", "dos.txt"])
    assert.equal(
      diffOf(directory, "Edit", { file_path: join(directory, file), ...edit }),
      `--- a/${file}\n+++ b/${file}\n${hunk}`,
    );
  const edits = [edit, { old_string: "line 1\n", new_string: "" }];
  const several = diffOf(directory, "MultiEdit", { file_path: "a.txt", edits });
  assert.deepEqual(String(several).match(/^@@.*$/gm), ["@@ -1,4 +1,3 @@", "@@ -37,7 +36,7 @@"]);
});

test("an ask for a write shows the changed lines alone, and a new file whole", (t) => {
  const directory = place(t);
  const content = LINES.with(59, "last\n").join("");
  const changed = String(diffOf(directory, "Write", { file_path: join(directory, "a.txt"), content }));
  assert.deepEqual(changed.match(/^[-+@].*$/gm)?.slice(2), ["@@ -57,4 +57,4 @@", "-line 60", "+last"]);
  assert.equal(
    diffOf(directory, "Write", { file_path: join(directory, "new.txt"), content: "one\n" }),
    "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n",
  );
});

test("an ask shows nothing of files outside of the directory, of binary files, and of edits that do not fit", (t) => {
  const directory = place(t);
  const edit = { old_string: "secret", new_string: "x" };
  for (const file of ["../secret.txt", "link.txt", "/proc/self/environ", "binary", "a.txt", "none/there.txt", "."])
    assert.equal(diffOf(directory, "Edit", { file_path: file, ...edit }), undefined, file);
  assert.equal(diffOf(directory, "Write", { file_path: "../secret.txt", content: "x" }), undefined);
  assert.equal(diffOf(directory, "Bash", { command: "x", file_path: "a.txt" }), undefined);
});
