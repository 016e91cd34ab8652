import { type Diff, unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";

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

/** The facts of a call by which its changes of files are known. */
export interface ChangingCall {
  tool?: string;
  input?: unknown;
  /** The diff that the program showed when it asked for the call. */
  diff?: string;
}

/** The diff of a file that was written as a whole: the program tells none of it. That of an older file is known only where the program asked before. */
function writtenDiff({ input, diff }: ChangingCall, path: string, isNew: boolean): Partial<Diff> {
  const content = isFields(input) ? textIn(input, "content") : undefined;
  return isNew && content !== undefined ? unifiedDiff(path.replace(/^\/+/, ""), undefined, content) : present({ diff });
}

/** The changes of files that a call made. */
export function filesOf(call: ChangingCall, metadata: Fields): FileChange[] {
  const { tool } = call;
  if (tool === "apply_patch" || tool === "patch") return listIn(metadata, "files").flatMap(changeOf);
  if (tool !== "edit" && tool !== "write" && tool !== "multiedit") return [];
  const [change] = changeOf(fieldsIn(metadata, "filediff"));
  const diff = textIn(metadata, "diff");
  const path = change?.path ?? textIn(metadata, "filepath");
  if (path === undefined) return [];
  const isNew = metadata.exists === false;
  const kind = isNew ? "added" : "modified";
  if (!change && diff === undefined) return [{ path, kind, ...writtenDiff(call, path, isNew) }];
  return [{ ...present({ diff }), ...change, path, kind }];
}
