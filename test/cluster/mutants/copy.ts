import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../chaos/node.ts";

/** A change of one file of the source. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

/** A copy of the source with some lines changed, whose program can be run beside the real one. */
export function copyWith(edits: readonly Edit[]): { root: string } & Disposable {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-mutant-")));
  for (const name of ["src", "bin", "schema", "package.json"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  for (const { file, find, replace } of edits) {
    const path = join(root, file);
    const source = readFileSync(path, "utf8");
    assert.equal(source.split(find).length, 2, `${file} must hold exactly once: ${find}`);
    writeFileSync(
      path,
      source.replace(find, () => replace),
    );
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
