import type { FileChange } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { composeHunks } from "./compose.ts";
import { countLines } from "./file-totals.ts";

/** All that is known of the changes of one file. */
export interface FileDiff {
  path: string;
  kind: FileChange["kind"];
  /** The path that it had before, where it was renamed. */
  from?: string;
  additions: number;
  deletions: number;
  diff?: string;
  /** So many characters of the diff are left out. */
  cut?: { characters: number };
}

/** Characters of the diffs in one list. */
const MAX_DIFFS = 8 * 1024 * 1024;
/** Diffs that are longer together are not made into one, and neither are any more after so much work. */
const MAX_COMPOSED = 1024 * 1024;
const MAX_WORK = 64 * 1024 * 1024;

/** The kind of two changes of a file together; `gone` where nothing of them is left. */
const TOGETHER: Readonly<Partial<Record<string, FileChange["kind"] | "gone">>> = {
  "added modified": "added",
  "added renamed": "added",
  "added deleted": "gone",
  "modified modified": "modified",
  "modified renamed": "renamed",
  "modified deleted": "deleted",
  "renamed modified": "renamed",
  "renamed renamed": "renamed",
  "renamed deleted": "deleted",
  "deleted added": "modified",
};

function headOf(kind: FileChange["kind"], from: string, path: string): string {
  return `--- ${kind === "added" ? "/dev/null" : `a/${from}`}\n+++ ${kind === "deleted" ? "/dev/null" : `b/${path}`}\n`;
}

/** The diff of a change; a file that was only renamed has an empty one. */
function diffOf({ kind, diff }: Pick<FileChange, "kind" | "diff">): string | undefined {
  return diff ?? (kind === "renamed" ? "" : undefined);
}

/**
 * The changes of files, put together: each file once, with one diff, in the order of their first changes. Changes that cannot be
 * made into one stand one after the other.
 */
export class JoinedChanges {
  #files: FileDiff[] = [];
  /** The newest entry of each file, by the path that it has now. */
  readonly #newest = new Map<string, FileDiff>();
  #characters = 0;
  #work = 0;

  add(changes: readonly FileChange[]): void {
    for (const change of changes) this.#add(change);
  }

  list(): FileDiff[] {
    return [...this.#files];
  }

  #add(change: FileChange): void {
    const { path, kind, from } = change;
    const before = this.#newest.get(kind === "renamed" ? (from ?? path) : path);
    const joined = before && this.#join(before, change);
    if (!before || !joined) {
      const { diff, cut } = change;
      this.#put(undefined, present({ path, kind, from, ...countLines(change), diff, cut }));
    } else if (joined === "gone") {
      this.#newest.delete(before.path);
      this.#files = this.#files.filter((one) => one !== before);
    } else this.#put(before, joined);
  }

  /** Adds an entry, or puts it in the place of another. */
  #put(before: FileDiff | undefined, entry: FileDiff): void {
    const bounded = this.#bounded(entry, before?.diff?.length ?? 0);
    if (before) {
      this.#newest.delete(before.path);
      this.#files[this.#files.indexOf(before)] = bounded;
    } else this.#files.push(bounded);
    if (entry.from !== undefined) this.#newest.delete(entry.from);
    this.#newest.set(entry.path, bounded);
  }

  #bounded(entry: FileDiff, replaced: number): FileDiff {
    const { diff, ...rest } = entry;
    const size = diff?.length ?? 0;
    const left = MAX_DIFFS - this.#characters + replaced;
    const kept = size <= left;
    this.#characters += (kept ? size : 0) - replaced;
    return kept ? entry : { ...rest, cut: { characters: size + (entry.cut?.characters ?? 0) } };
  }

  #join(before: FileDiff, change: FileChange): FileDiff | "gone" | undefined {
    const together = TOGETHER[`${before.kind} ${change.kind}`];
    if (together === undefined || together === "gone") return together;
    const from = before.from ?? before.path;
    const path = together === "deleted" ? from : change.path;
    const kind = together === "renamed" && from === path ? "modified" : together;
    const facts = { path, kind, ...(kind === "renamed" ? { from } : {}) };
    if (before.diff === undefined && change.diff === undefined && !before.cut) {
      const more = countLines(change);
      return { ...facts, additions: before.additions + more.additions, deletions: before.deletions + more.deletions };
    }
    const hunks = this.#compose(before, change);
    if (hunks === undefined) return undefined;
    const diff = headOf(kind, from, path) + hunks;
    return { ...facts, ...countLines({ path, kind, diff }), diff };
  }

  #compose(before: FileDiff, change: FileChange): string | undefined {
    const [first, second] = [diffOf(before), diffOf(change)];
    if (first === undefined || second === undefined || before.cut || change.cut) return undefined;
    const size = first.length + second.length;
    this.#work += size;
    return size > MAX_COMPOSED || this.#work > MAX_WORK ? undefined : composeHunks(first, second);
  }
}
