import { isAbsolute, relative } from "node:path";
import { addTotals } from "../../core/diff/file-totals.ts";
import { ParleyError } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { FileChange } from "../../core/events/values.ts";
import { type PastTurn, turnsOf } from "../../core/history/turns.ts";
import { type Revert, revertOf } from "../../core/ledger/revert.ts";
import type { SessionState } from "../../core/session-state.ts";
import { FileRefused } from "../../host/files/file-refused.ts";
import { readText, type Swap, swapAll } from "../../host/files/swap.ts";
import type { Log } from "../../log/contract.ts";
import { readEvents } from "../read-events.ts";
import { type Direction, planSwaps } from "./plan-swaps.ts";

/** A longer diff is not kept, because it would be written with every change of the session's state. */
const MAX_DIFF = 200_000;

/** The first turn that is taken back, by one of its messages or by its own id. */
export type Start = { messageID: string; partID?: string } | { turn: string };

export type Wish = Start & WishedWays;

interface WishedWays {
  /** Whether the files stay as they are: then only the messages are taken back. */
  keepFiles?: boolean;
  /** The agent itself must drop the turns. */
  native?: boolean;
  /** The agent's id of a copy of its session that has only these events; absent where it goes on from none. */
  copyOf?(events: readonly ParleyEvent[]): string | undefined;
}

/** The revert to store (null: none), and the way to put the files back if it cannot be stored. */
export interface Reverted {
  revert: Revert | null;
  undo(): Promise<void>;
}

function diffOf(turns: readonly PastTurn[]): { diff?: string } {
  const diff = turns
    .flatMap(({ changes }) => changes.map((change) => change.diff ?? ""))
    .filter((one) => one !== "")
    .map((one) => (one.endsWith("\n") ? one : `${one}\n`))
    .join("");
  return diff.length > MAX_DIFF ? {} : { diff };
}

function startsAt(wish: Wish, { id, messages }: PastTurn): boolean {
  return "turn" in wish ? id === wish.turn : messages.includes(wish.messageID);
}

function unknownStart(wish: Wish | null, session: string): ParleyError {
  if (wish && "turn" in wish) return new ParleyError("turn_not_found", `no turn ${wish.turn} in session ${session}`);
  return new ParleyError("not_found", `no message ${wish?.messageID} in session ${session}`);
}

function revertTo(turns: readonly PastTurn[], at: number, wish: Wish, nativeId?: string): Revert {
  const { keepFiles, native } = wish;
  const partID = "partID" in wish ? wish.partID : undefined;
  const gone = turns.slice(at);
  const [first] = gone;
  const left = (keepFiles ? turns : turns.slice(0, at)).flatMap(({ changes }) => changes);
  return {
    messageID: first?.messages[0] ?? "",
    ...(partID === undefined ? {} : { partID }),
    ...(keepFiles ? { filesKept: true } : diffOf(gone)),
    cut: {
      turns: gone.map(({ id }) => id),
      from: first?.seq ?? 0,
      messages: gone.flatMap(({ messages }) => messages),
      files: addTotals(undefined, left),
    },
    ...(nativeId === undefined ? {} : { nativeId }),
    ...(native ? { toRewind: gone.flatMap(({ prompts }) => (prompts ? [prompts] : [])) } : {}),
  };
}

/** The change with paths from the directory: some agents name their files from the root of the file system. */
function inside(directory: string, change: FileChange): FileChange {
  const shown = (path: string): string => (isAbsolute(path) ? relative(directory, path) : path);
  return { ...change, path: shown(change.path), ...(change.from === undefined ? {} : { from: shown(change.from) }) };
}

async function move(directory: string, turns: readonly PastTurn[], direction: Direction): Promise<Swap[]> {
  const changes = turns.flatMap((turn) => turn.changes.map((change) => inside(directory, change)));
  try {
    const swaps = await planSwaps(changes, direction, (path) => readText(directory, path));
    await swapAll(directory, swaps);
    return swaps;
  } catch (error) {
    if (error instanceof FileRefused) throw new ParleyError("file_changed", `${error.message}; nothing was changed`);
    throw error;
  }
}

/**
 * Puts the files as they were before a message's turn, or all the way forward again (null). Turns that an earlier
 * revert took back, and that lie before the message, are done again. Turns are taken back whole.
 */
export async function moveTo(log: Log, state: SessionState, wish: Wish | null): Promise<Reverted> {
  const { id, directory, meta } = state;
  const events = await readEvents(log, id, 0);
  const turns = turnsOf(events);
  const before = revertOf(meta);
  const hidden = before?.filesKept ? [] : (before?.cut.turns ?? []);
  const now = turns.length - turns.filter((turn) => hidden.includes(turn.id)).length;
  const at = wish ? turns.findIndex((turn) => startsAt(wish, turn)) : turns.length;
  if (at < 0) throw unknownStart(wish, id);
  const kept = new Set(turns.slice(0, at).map((turn) => turn.id));
  // Before the files: an agent that cannot go on from there refuses.
  const nativeId = wish?.copyOf?.(events.filter(({ turn }) => turn !== undefined && kept.has(turn)));
  const then = wish?.keepFiles ? turns.length : at;
  const swaps =
    then < now
      ? await move(directory, turns.slice(then, now), "undo")
      : await move(directory, turns.slice(now, then), "redo");
  const back = swaps.map(({ path, from, to }) => ({ path, from: to, to: from })).toReversed();
  return { revert: wish ? revertTo(turns, at, wish, nativeId) : null, undo: () => swapAll(directory, back) };
}
