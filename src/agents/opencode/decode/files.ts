import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";

const KINDS: Readonly<Record<string, FileChange["kind"]>> = {
  add: "added",
  update: "modified",
  delete: "deleted",
  move: "renamed",
};

function changeOf(file: Fields): FileChange[] {
  const path = textIn(file, "filePath") ?? textIn(file, "file");
  if (path === undefined) return [];
  const moved = textIn(file, "movePath");
  const facts = present({
    diff: textIn(file, "patch") ?? textIn(file, "diff"),
    additions: numberIn(file, "additions"),
    deletions: numberIn(file, "deletions"),
  });
  const type = textIn(file, "type") ?? "update";
  const kind = Object.hasOwn(KINDS, type) ? (KINDS[type] ?? "modified") : "modified";
  return moved === undefined
    ? [{ path, kind, ...facts }]
    : [{ path: moved, from: path, kind: "renamed" as const, ...facts }];
}

/** The changes of files that a call made. */
export function filesOf(tool: string, metadata: Fields): FileChange[] {
  if (tool === "apply_patch" || tool === "patch") return listIn(metadata, "files").flatMap(changeOf);
  if (tool !== "edit" && tool !== "write" && tool !== "multiedit") return [];
  const [change] = changeOf(fieldsIn(metadata, "filediff"));
  const diff = textIn(metadata, "diff");
  const path = change?.path ?? textIn(metadata, "filepath");
  if (path === undefined) return [];
  const isNew = metadata.exists === false;
  return [
    { kind: isNew ? "added" : "modified", ...present({ diff }), ...change, path, ...(isNew ? { kind: "added" } : {}) },
  ];
}
