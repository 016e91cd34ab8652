import { setImmediate as nextTurn } from "node:timers/promises";
import { isCut } from "../../../core/history/cuts.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { EventRecord, Log } from "../../../log/contract.ts";
import { headOfTurn } from "./turn-head.ts";

/** How many events are read at once: few at first, because most requests want the newest only. */
export const FIRST_CHUNK = 256;
export const LARGEST_CHUNK = 2_048;
const SMALLEST_CHUNK = 64;
/** Older turns may have more events than those that were read. */
const SPARE = 1.1;

/** How many events to read next, after so many of which the share gave what is wanted. */
export function nextChunk(limit: number, read: number, share: number): number {
  const twice = Math.min(limit * 2, LARGEST_CHUNK);
  if (share <= 0) return twice;
  return Math.min(twice, Math.max(SMALLEST_CHUNK, Math.ceil(((read * (1 - share)) / share) * SPARE)));
}

/** The events from a `turn.started` to the next, or those before the first. */
export interface Piece {
  records: EventRecord[];
  /** The items of its older steps were left out. */
  thinned: boolean;
  /** Its older steps themselves were left out: it is the last piece then. */
  headless: boolean;
  /** Whether items were left out of what was said at a number. */
  thins(seq: number): boolean;
}

/** Whether an event gives others their place or their facts: all but the items of the agent do. */
export function isFrame({ type, json }: EventRecord): boolean {
  return !type.startsWith("item.") || (type !== "item.delta" && json.includes('"role":"user"'));
}

/** Events without the agent's items: its steps are there, but empty. */
function frameOf(records: readonly EventRecord[]): EventRecord[] {
  return records.filter(isFrame);
}

/** Goes back through events, and leaves out the items of all but the newest steps. */
class Thinner {
  #steps: number;
  readonly #gone: (seq: number) => boolean;
  /** From this number on everything is told. */
  from = 0;

  constructor(steps: number, gone: (seq: number) => boolean = () => false) {
    this.#steps = steps;
    this.#gone = gone;
  }

  /** The events right before those that it was given last. */
  take(records: readonly EventRecord[]): EventRecord[] {
    let at = records.length;
    while (at > 0 && this.#steps > 0) {
      const record = records[--at];
      if (record?.type !== "step.started" || this.#gone(record.seq)) continue;
      this.#steps -= 1;
      this.from = record.seq;
    }
    return at === 0 ? [...records] : frameOf(records.slice(0, at)).concat(records.slice(at));
  }

  thins(seq: number): boolean {
    return this.isDone && seq < this.from;
  }

  /** All steps that are wanted have been told. */
  get isDone(): boolean {
    return this.#steps === 0;
  }
}

/** The events of a turn with only its last steps in full. */
export function thin(records: readonly EventRecord[], steps: number): EventRecord[] {
  return new Thinner(steps).take(records);
}

export interface Back {
  /** Only numbers before this one. */
  before: number;
  /** How many of the newest steps are told in full. */
  steps: number;
  /** Where these are a part of a turn, the others need not be told at all. */
  headless?: boolean;
  /** How much of what is wanted was told so far, up to 1: as much more is read as the rest may take. */
  share?(): number;
}

/**
 * A session's events before a number, cut before each `turn.started`: the newest piece first, each in its order, and
 * only so many steps in full. Memory holds one chunk and those steps, however long the session or a turn is.
 */
export async function* piecesBack(
  log: Log,
  { id: session, cuts }: Pick<SessionState, "id" | "cuts">,
  { before, steps, headless = false, share = () => 0 }: Back,
): AsyncGenerator<Piece> {
  // Steps that were taken back are no messages, and do not count.
  const gone = (seq: number): boolean => isCut(cuts, seq);
  const thinner = new Thinner(steps, gone);
  const thins = (seq: number): boolean => thinner.thins(seq);
  const pieceOf = (records: EventRecord[]): Piece => {
    return { records, thinned: thins(records[0]?.seq ?? 0), headless: false, thins };
  };
  let held: EventRecord[] = [];
  let end = before;
  let count = 0;
  for (let limit = FIRST_CHUNK; ; limit = nextChunk(limit, count, share())) {
    const read = await log.readBack(session, { before: end, limit });
    const [first] = read;
    if (!first) break;
    end = first.seq;
    count += read.length;
    const chunk = thinner.take(read);
    held = chunk.concat(held);
    for (let at = chunk.length - 1; at >= 0; at--) {
      if (held[at]?.type !== "turn.started") continue;
      const piece = pieceOf(held.slice(at));
      held = held.slice(0, at);
      yield piece;
    }
    const records =
      headless && thinner.isDone && held.length > 0 ? await headOfTurn(log, session, held, { end, gone }) : undefined;
    if (records) {
      yield { records, thinned: true, headless: true, thins };
      return;
    }
    // A long history must not keep everybody else waiting.
    await nextTurn();
  }
  if (held.length > 0) yield pieceOf(held);
}
