import { type Diff, unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";

const KINDS: Readonly<Record<string, FileChange["kind"]>> = {
  add: "added",
  update: "modified",
  delete: "deleted",
  move: "renamed",
};

/** A diff in whose head the file has the name that is told: clients show that name. */
function named(diff: string | undefined, from: string, to: string): string | undefined {
  if (diff === undefined || from === to) return diff;
  const hunks = diff.search(/^@@ /m);
  const end = hunks < 0 ? diff.length : hunks;
  return diff.slice(0, end).replaceAll(from, to) + diff.slice(end);
}

function changeOf(file: Fields, directory: string): FileChange[] {
  const absolute = textIn(file, "filePath") ?? textIn(file, "file");
  if (absolute === undefined) return [];
  const path = ruledPath(directory, absolute);
  const target = textIn(file, "movePath");
  const moved = target === undefined ? undefined : ruledPath(directory, target);
  const facts = present({
    diff: named(textIn(file, "patch") ?? textIn(file, "diff"), absolute, path),
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
export function filesOf(call: ChangingCall, metadata: Fields, directory: string): FileChange[] {
  const { tool } = call;
  if (tool === "apply_patch" || tool === "patch")
    return listIn(metadata, "files").flatMap((file) => changeOf(file, directory));
  if (tool !== "edit" && tool !== "write" && tool !== "multiedit") return [];
  const filediff = fieldsIn(metadata, "filediff");
  const absolute = textIn(filediff, "file") ?? textIn(metadata, "filepath");
  if (absolute === undefined) return [];
  const path = ruledPath(directory, absolute);
  const [change] = changeOf(filediff, directory);
  const diff = named(textIn(metadata, "diff"), absolute, path);
  const isNew = metadata.exists === false;
  const kind = isNew ? "added" : "modified";
  const shown = { ...call, ...present({ diff: named(call.diff, absolute, path) }) };
  if (!change && diff === undefined) return [{ path, kind, ...writtenDiff(shown, path, isNew) }];
  return [{ ...present({ diff }), ...change, path, kind }];
}
