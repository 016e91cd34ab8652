import { present } from "../../../core/json/fields.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { EventRecord, Log, ReadQuery } from "../../../log/contract.ts";
import { followsOn, runsOf } from "../../../log/cursor.ts";
import { beforeIn, damageGap, type Gap, prunedGap, startIn } from "./cursor.ts";

export interface Page {
  records: readonly EventRecord[];
  next: number;
  more: boolean;
  /** The events that are missing before the first record. */
  gap?: Gap;
}

/**
 * A page of a session's events. It ends before a hole that damage has left; the next one begins with the gap, so that a
 * reader is told of each where it is.
 */
export async function pageOf(
  gateway: Gateway,
  session: string,
  text: string,
  { limit, native }: Pick<ReadQuery, "limit" | "native">,
): Promise<Page> {
  const start = await startIn(gateway, session, text);
  const { after, last } = start;
  const read = await gateway.log.read(session, { after, limit, native });
  const [records = []] = runsOf(read);
  const [first] = records;
  const next = records.at(-1)?.seq ?? Math.max(after, last);
  const cut = records.length < read.length;
  const more = cut || read.length === limit || next < last;
  if (start.gap) return { records, next, more, gap: start.gap };
  const hole = first ? !followsOn(after, first) : after < last;
  const gap = hole ? await damageGap(gateway, session, after, first?.seq ?? last + 1) : undefined;
  return present({ records, next, more, gap });
}

/** A page of a session's events that was read backwards. Its events are in their order. */
export interface BackPage {
  records: readonly EventRecord[];
  /** The `before` of the next older page; null where nothing older is kept. */
  previous: number | null;
  /** The events that are missing before the first record. */
  gap?: Gap;
}

/** Whether events between two numbers cannot be read. Folded ones are not missing: the event behind them counts them. */
async function isHole(log: Log, session: string, newest: number, before: number): Promise<boolean> {
  if (newest >= before - 1) return false;
  const [next] = await log.read(session, { after: before - 1, limit: 1 });
  return !next || !followsOn(newest, next);
}

/**
 * The newest events before a number. The page ends behind a hole that damage has left. The next older one has nothing but
 * that gap, so that pages put together are the same as those that were read forwards.
 */
export async function pageBack(
  gateway: Gateway,
  session: string,
  text: string,
  { limit, native }: Pick<ReadQuery, "limit" | "native">,
): Promise<BackPage> {
  const head = await gateway.head(session);
  const before = beforeIn(head, text);
  // One more than asked for says whether there are older ones.
  const read = await gateway.log.readBack(session, { before, limit: limit + 1, native });
  const newest = read.at(-1)?.seq ?? head.first - 1;
  const pruned = async (): Promise<Gap | undefined> => (head.first > 1 ? prunedGap(gateway, session) : undefined);
  if (await isHole(gateway.log, session, newest, before)) {
    const damaged = (): Promise<Gap | undefined> => damageGap(gateway, session, newest, before);
    if (read.length > 0) return present({ records: [], previous: newest + 1, gap: await damaged() });
    return present({ records: [], previous: null, gap: (await pruned()) ?? (await damaged()) });
  }
  const records = (runsOf(read).at(-1) ?? []).slice(-limit);
  const [first] = records;
  const older = first && (records.length < read.length || !followsOn(head.first - 1, first));
  return older ? { records, previous: first.seq } : present({ records, previous: null, gap: await pruned() });
}
