import { present } from "../../core/json/fields.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { EventRecord, ReadQuery } from "../../log/contract.ts";
import { followsOn, runsOf } from "../../log/cursor.ts";
import { damageGap, type Gap, startIn } from "./cursor.ts";

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
