import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventRecord, Log } from "../../../log/contract.ts";
import { told } from "./picked.ts";
import { FIRST_CHUNK, isFrame, LARGEST_CHUNK } from "./turn-pieces.ts";

/** The events after a number up to the end of the turn that is open there, a chunk at a time. */
export async function* chunksOfTurn(log: Log, session: string, after: number): AsyncGenerator<EventRecord[]> {
  let cursor = after;
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, LARGEST_CHUNK)) {
    const records = await log.read(session, { after: cursor, limit });
    const end = records.findIndex(({ type }) => type === "turn.ended");
    yield end < 0 ? records : records.slice(0, end + 1);
    const last = records.at(-1);
    if (end >= 0 || !last) return;
    cursor = last.seq;
    await nextTurn();
  }
}

/** The events after a number up to the end of the turn that is open there. */
export async function restOfTurn(log: Log, session: string, after: number): Promise<EventRecord[]> {
  const rest: EventRecord[] = [];
  for await (const chunk of chunksOfTurn(log, session, after)) for (const record of chunk) rest.push(record);
  return rest;
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

/** The numbers of steps that an event may speak of: too many do no harm. */
function stepsIn(json: string): number[] {
  return [...json.matchAll(/"step":(\d+)/g)].map(([, step]) => Number(step));
}

/**
 * The later events of the steps that a turn had up to a place, without the items of later steps. All that comes after
 * the next step has begun and the last of their items is completed is of no interest to them, but for what the session learns of itself.
 */
export async function restOfSteps(
  log: Log,
  session: string,
  before: readonly EventRecord[],
  after: number,
): Promise<EventRecord[]> {
  const { json = "" } = before.findLast(({ type }) => type === "step.started") ?? {};
  const last = Math.max(0, ...stepsIn(json));
  const items = openItems(before);
  const rest: EventRecord[] = [];
  let next = false;
  for await (const chunk of chunksOfTurn(log, session, after)) {
    for (const record of chunk) {
      next ||= record.type === "step.started";
      if (isFrame(record)) rest.push(record);
      else if (record.type === "item.started" && stepsIn(record.json).some((step) => step <= last)) {
        items.add(itemOf(record));
        rest.push(record);
      } else if (items.size > 0 && items.has(itemOf(record))) {
        if (record.type === "item.completed") items.delete(itemOf(record));
        rest.push(record);
      }
    }
    const end = chunk.at(-1);
    if (!end || end.type === "turn.ended") break;
    if (next && items.size === 0) return rest.concat(await learnedAfter(log, session, end.seq));
  }
  return rest;
}

/** The words of a session on itself after a number, while the turn that is open there goes on. */
async function learnedAfter(log: Log, session: string, after: number): Promise<EventRecord[]> {
  const before = ((await log.head(session))?.last ?? after) + 1;
  const learned: EventRecord[] = [];
  for await (const record of told(log, session, { after, before })) {
    learned.push(record);
    if (record.type === "turn.ended") break;
  }
  return learned;
}
