import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import type { FileChange } from "../../../core/events/values.ts";
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

/** What became of a file that is changed once more: one that was added stays added until it is deleted. */
function laterStatus(before: FileDiff["status"], now: FileDiff["status"]): FileDiff["status"] {
  return before === "added" && now === "modified" ? "added" : now;
}

/** A change counted line by line where the agent did not count. */
function counted({ diff = "", additions, deletions }: FileChange): { additions: number; deletions: number } {
  const lines = additions === undefined || deletions === undefined ? diff.split("\n") : [];
  const starting = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return { additions: additions ?? starting("+"), deletions: deletions ?? starting("-") };
}

export function absolute(directory: string, path: string): string {
  return resolve(directory, path);
}

function shown(directory: string, path: string): string {
  const inside = relative(directory, resolve(directory, path));
  return inside.startsWith("..") ? resolve(directory, path) : inside;
}

export function diffOf(change: FileChange, directory: string): FileDiff {
  return {
    file: shown(directory, change.path),
    ...(change.diff === undefined ? {} : { patch: change.diff }),
    ...counted(change),
    status: statusOf(change.kind),
  };
}

/** Changes by file, in the order in which the files were first changed. */
export class FileDiffs {
  readonly #files = new Map<string, FileDiff>();

  add(changes: readonly FileChange[], directory: string): void {
    for (const change of changes) this.#put(diffOf(change, directory));
  }

  /** All of another list, behind what is here. */
  take(others: FileDiffs): void {
    for (const diff of others.list()) this.#put(diff);
  }

  #put(diff: FileDiff): void {
    const { file = "" } = diff;
    const before = this.#files.get(file);
    const patch = joinPatches(before?.patch, diff.patch);
    this.#files.set(file, {
      file,
      ...(patch === undefined ? {} : { patch }),
      additions: (before?.additions ?? 0) + diff.additions,
      deletions: (before?.deletions ?? 0) + diff.deletions,
      status: laterStatus(before?.status, diff.status),
    });
  }

  list(): FileDiff[] {
    return [...this.#files.values()];
  }

  /** Without the patches, which grow with a session. */
  counts(): FileDiff[] {
    return this.list().map(({ patch: _, ...counts }) => counts);
  }
}

/** Stands for a set of changes where OpenCode names a snapshot: nothing can be restored by it. */
export function changesHash(changes: readonly FileChange[]): string {
  return createHash("sha1").update(JSON.stringify(changes)).digest("hex");
}
