import { applyHunks, parseDiff, reversed } from "../../core/diff/patch.ts";
import { ParleyError } from "../../core/errors.ts";
import type { FileChange } from "../../core/events/values.ts";
import type { Swap } from "../../host/files/swap.ts";

export type Direction = "undo" | "redo";

function conflict(path: string, why: string): ParleyError {
  const message = `${path} cannot be put ${why}; nothing was changed. Put it right by hand, or leave it as it is`;
  return new ParleyError("file_changed", message, { path });
}

/** The files as the plan leaves them. Each is read from the disk when it is first needed. */
class Files {
  readonly #read: (path: string) => Promise<string | undefined>;
  readonly #swaps = new Map<string, Swap>();

  constructor(read: (path: string) => Promise<string | undefined>) {
    this.#read = read;
  }

  async get(path: string): Promise<string | undefined> {
    const known = this.#swaps.get(path);
    if (known) return known.to;
    const from = await this.#read(path);
    this.#swaps.set(path, { path, from, to: from });
    return from;
  }

  async put(path: string, to: string | undefined): Promise<void> {
    await this.get(path);
    const known = this.#swaps.get(path);
    if (known) known.to = to;
  }

  list(): Swap[] {
    return [...this.#swaps.values()].filter(({ from, to }) => from !== to);
  }
}

const NOT_THERE: Readonly<Record<Direction, FileChange["kind"]>> = { undo: "deleted", redo: "added" };
const GONE: Readonly<Record<Direction, FileChange["kind"]>> = { undo: "added", redo: "deleted" };

/** Plans one change: undone, or done again. */
async function step(files: Files, { path, kind, diff, from, cut }: FileChange, direction: Direction): Promise<void> {
  const back = direction === "undo" ? "back: it" : "forward again: it";
  if (cut) throw conflict(path, `${back} was changed by more than is kept: ${cut.characters} characters were left out`);
  const [here, there] = kind === "renamed" && direction === "redo" ? [from ?? path, path] : [path, from ?? path];
  const target = kind === "renamed" ? there : path;
  const before = await files.get(here);
  const missing = kind === NOT_THERE[direction];
  if ((before === undefined) !== missing) throw conflict(here, `${back} ${missing ? "is there" : "is gone"}`);
  if (target !== here && (await files.get(target)) !== undefined) throw conflict(target, `${back} is there`);
  if (diff === undefined && kind !== "renamed") throw conflict(path, `${back} is not known how it was changed`);
  const hunks = parseDiff(diff ?? "");
  const after = applyHunks(before ?? "", direction === "undo" ? reversed(hunks) : hunks);
  if (after === undefined || (kind === GONE[direction] && after !== ""))
    throw conflict(here, `${back} was changed since`);
  if (target !== here) await files.put(here, undefined);
  await files.put(target, kind === GONE[direction] ? undefined : after);
}

/** The files to write so that changes are undone, the newest first, or done again. Throws when a change does not fit. */
export async function planSwaps(
  changes: readonly FileChange[],
  direction: Direction,
  read: (path: string) => Promise<string | undefined>,
): Promise<Swap[]> {
  const files = new Files(read);
  for (const change of direction === "undo" ? changes.toReversed() : changes) await step(files, change, direction);
  return files.list();
}
