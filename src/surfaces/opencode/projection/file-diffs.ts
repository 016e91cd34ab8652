import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import { countLines, laterKind } from "../../../core/diff/file-totals.ts";
import type { FileChange, FileTotal } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { FileDiff } from "../shapes/session.ts";

const HUNKS = /^@@ /m;

/** Two changes of one file, one after the other under one head: clients expect a file once. */
function joinPatches(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const hunks = HUNKS.exec(second);
  if (!hunks) return first;
  return `${first.endsWith("\n") ? first : `${first}\n`}${second.slice(hunks.index)}`;
}

function statusOf(kind: FileChange["kind"]): NonNullable<FileDiff["status"]> {
  return kind === "renamed" ? "modified" : kind;
}

export function absolute(directory: string, path: string): string {
  return resolve(directory, path);
}

function shown(directory: string, path: string): string {
  const inside = relative(directory, resolve(directory, path));
  return inside.startsWith("..") ? resolve(directory, path) : inside;
}

export function diffOf(change: FileChange, directory: string): FileDiff {
  const { path, diff: patch, kind } = change;
  return present({ file: shown(directory, path), patch, ...countLines(change), status: statusOf(kind) });
}

/** Changes by file, in the order in which the files were first changed. */
export class FileDiffs {
  readonly #files = new Map<string, FileDiff>();

  add(changes: readonly FileChange[], directory: string): void {
    for (const change of changes) this.#put(diffOf(change, directory));
  }

  #put(diff: FileDiff): void {
    const { file = "" } = diff;
    const before = this.#files.get(file);
    const patch = joinPatches(before?.patch, diff.patch);
    const additions = (before?.additions ?? 0) + diff.additions;
    const deletions = (before?.deletions ?? 0) + diff.deletions;
    const status = diff.status && laterKind(before?.status, diff.status);
    this.#files.set(file, present({ file, patch, additions, deletions, status }));
  }

  list(): FileDiff[] {
    return [...this.#files.values()];
  }
}

/** The changed files of a session as its state has them, without reading its turns. */
export function countsOf(totals: readonly FileTotal[], directory: string): FileDiff[] {
  return totals.map(({ path, kind, additions, deletions }) => {
    return { file: shown(directory, path), additions, deletions, status: statusOf(kind) };
  });
}

/** Stands for a set of changes where OpenCode names a snapshot: nothing can be restored by it. */
export function changesHash(changes: readonly FileChange[]): string {
  return createHash("sha1").update(JSON.stringify(changes)).digest("hex");
}
