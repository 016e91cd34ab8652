import { setImmediate as nextTurn } from "node:timers/promises";
import { isCut } from "../../../core/history/cuts.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { EventRecord, Log } from "../../../log/contract.ts";

/** How many events are read at once: few at first, because most requests want the newest only. */
const FIRST_CHUNK = 256;
const LARGEST_CHUNK = 2_048;

/** The events from a `turn.started` to the next, or those before the first. */
export interface Piece {
  records: EventRecord[];
  /** The items of its older steps were left out. */
  thinned: boolean;
  /** Whether items were left out of what was said at a number. */
  thins(seq: number): boolean;
}

/** Whether an event gives others their place or their facts: all but the items of the agent do. */
function isFrame({ type, json }: EventRecord): boolean {
  return !type.startsWith("item.") || (type !== "item.delta" && json.includes('"role":"user"'));
}

/** Events without the agent's items: its steps are there, but empty. */
function frameOf(records: readonly EventRecord[]): EventRecord[] {
  return records.filter(isFrame);
}

/** The item that an event is about. */
function itemOf({ json }: EventRecord): string {
  const { data } = JSON.parse(json) as { data: { item: string | { id: string } } };
  return typeof data.item === "string" ? data.item : data.item.id;
}

/** Items that were begun and not completed. */
function openItems(records: readonly EventRecord[]): Set<string> {
  const open = new Set<string>();
  for (const record of records) {
    if (record.type === "item.started") open.add(itemOf(record));
    if (record.type === "item.completed") open.delete(itemOf(record));
  }
  return open;
}

/** The later events of the steps that a turn had up to a place, without the items of later steps. */
export function restOfSteps(before: readonly EventRecord[], rest: readonly EventRecord[]): EventRecord[] {
  const { json = "" } = before.findLast(({ type }) => type === "step.started") ?? {};
  const last = Math.max(0, ...stepsIn(json));
  const items = openItems(before);
  return rest.filter((record) => {
    if (isFrame(record)) return true;
    if (record.type === "item.started" && stepsIn(record.json).some((step) => step <= last)) items.add(itemOf(record));
    return items.size > 0 && items.has(itemOf(record));
  });
}

/** The numbers of steps that an event may speak of: too many do no harm. */
function stepsIn(json: string): number[] {
  return [...json.matchAll(/"step":(\d+)/g)].map(([, step]) => Number(step));
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
    return this.#steps === 0 && seq < this.from;
  }
}

/** The events of a turn with only its last steps in full. */
export function thin(records: readonly EventRecord[], steps: number): EventRecord[] {
  return new Thinner(steps).take(records);
}

/**
 * A session's events before a number, cut before each `turn.started`: the newest piece first, each in its order, and
 * only so many steps in full. Memory holds one chunk and those steps, however long the session or a turn is.
 */
export async function* piecesBack(
  log: Log,
  { id: session, cuts }: Pick<SessionState, "id" | "cuts">,
  before: number,
  steps: number,
): AsyncGenerator<Piece> {
  // Steps that were taken back are no messages, and do not count.
  const thinner = new Thinner(steps, (seq) => isCut(cuts, seq));
  const thins = (seq: number): boolean => thinner.thins(seq);
  const pieceOf = (records: EventRecord[]): Piece => ({ records, thinned: thins(records[0]?.seq ?? 0), thins });
  let held: EventRecord[] = [];
  let end = before;
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, LARGEST_CHUNK)) {
    const read = await log.readBack(session, { before: end, limit });
    const [first] = read;
    if (!first) break;
    end = first.seq;
    const chunk = thinner.take(read);
    held = chunk.concat(held);
    for (let at = chunk.length - 1; at >= 0; at--) {
      if (held[at]?.type !== "turn.started") continue;
      const piece = pieceOf(held.slice(at));
      held = held.slice(0, at);
      yield piece;
    }
    // A long history must not keep everybody else waiting.
    await nextTurn();
  }
  if (held.length > 0) yield pieceOf(held);
}

/** The events after a number up to the end of the turn that is open there. */
export async function restOfTurn(log: Log, session: string, after: number): Promise<EventRecord[]> {
  const rest: EventRecord[] = [];
  let cursor = after;
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, LARGEST_CHUNK)) {
    const records = await log.read(session, { after: cursor, limit });
    const end = records.findIndex(({ type }) => type === "turn.ended");
    rest.push(...(end < 0 ? records : records.slice(0, end + 1)));
    const last = records.at(-1);
    if (end >= 0 || !last) return rest;
    cursor = last.seq;
    await nextTurn();
  }
}
