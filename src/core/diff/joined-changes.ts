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
/** So many edits of a file are put together before they are put together with all that came before them. */
const MAX_EDITS = 256;

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

/** Edits of one file that follow each other and are not yet part of its entry. */
interface Edits {
  path: string;
  diffs: string[];
  characters: number;
}

/**
 * Edits as one. They are put together by halves, because two diffs cost what is in both: one after the other, each edit would
 * cost all that came before it.
 */
function halved(
  diffs: readonly string[],
  compose: (first: string, second: string) => string | undefined,
): string | undefined {
  if (diffs.length <= 1) return diffs[0];
  const middle = Math.ceil(diffs.length / 2);
  const [first, second] = [halved(diffs.slice(0, middle), compose), halved(diffs.slice(middle), compose)];
  return first === undefined || second === undefined ? undefined : compose(first, second);
}

/**
 * The changes of files, put together: each file once, with one diff, in the order of their first changes. Changes that cannot be
 * made into one stand one after the other.
 */
export class JoinedChanges {
  #files: FileDiff[] = [];
  /** The newest entry of each file, by the path that it has now. */
  readonly #newest = new Map<string, FileDiff>();
  /** By their paths. */
  readonly #edits = new Map<string, Edits>();
  #characters = 0;
  #work = 0;

  add(changes: readonly FileChange[]): void {
    for (const change of changes) if (!this.#collect(change)) this.#add(change);
  }

  list(): FileDiff[] {
    for (const edits of this.#edits.values()) this.#settle(edits);
    return [...this.#files];
  }

  /** Whether a change is an edit that can wait for more of them. All that is known of its file is settled otherwise. */
  #collect({ path, kind, from, diff, cut }: FileChange): boolean {
    const edits = this.#edits.get(path) ?? { path, diffs: [], characters: 0 };
    if (kind !== "modified" || diff === undefined || cut || !this.#newest.has(path)) {
      for (const one of [edits, this.#edits.get(from ?? path)]) if (one) this.#settle(one);
      return false;
    }
    edits.diffs.push(diff);
    edits.characters += diff.length;
    this.#edits.set(path, edits);
    if (edits.diffs.length >= MAX_EDITS || edits.characters > MAX_COMPOSED) this.#settle(edits);
    return true;
  }

  #settle({ path, diffs }: Edits): void {
    if (!this.#edits.delete(path)) return;
    const one = halved(diffs, (first, second) => this.#composed(first, second));
    const before = this.#newest.get(path);
    const edit = (diff: string): FileChange => ({ path, kind: "modified", diff });
    const joined = one === undefined || !before ? undefined : this.#join(before, edit(one));
    if (before && joined && joined !== "gone") this.#put(before, joined);
    // Those that do not fit are told one after the other.
    else for (const diff of diffs) this.#add(edit(diff));
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
    return first === undefined || second === undefined || before.cut || change.cut
      ? undefined
      : this.#composed(first, second);
  }

  #composed(first: string, second: string): string | undefined {
    const size = first.length + second.length;
    this.#work += size;
    return size > MAX_COMPOSED || this.#work > MAX_WORK ? undefined : composeHunks(first, second);
  }
}
