import type { GapEvent, StreamEvent } from "../../client/index.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import { activity } from "../../core/session-state.ts";
import type { Base, LogReader } from "../../log/contract.ts";
import { followsOn } from "../../log/cursor.ts";
import { wireJson } from "../../surfaces/universal/events/wire.ts";
import { usageError } from "../exit.ts";
import type { EventQuery } from "./store.ts";

const PAGE = 500;

/** The events of a session as a server would tell them, with gaps where some are no longer kept. */
export async function* readEvents(log: LogReader, id: string, query: EventQuery): AsyncGenerator<StreamEvent> {
  const head = await log.head(id);
  if (!head) return;
  if (query.after > head.last)
    throw usageError(`--after: the newest event of ${id} is ${head.last}, got ${query.after}`);
  let { after } = query;
  const base = after + 1 < head.first ? await log.base(id) : undefined;
  if (base) {
    yield gapEvent(id, after, base);
    after = base.first - 1;
  }
  for (;;) {
    const records = await log.read(id, { after, limit: PAGE, native: query.native });
    for (const record of records) {
      if (!followsOn(after, record)) yield gapEvent(id, after, { first: record.seq, state: head.state });
      yield JSON.parse(wireJson(record, query.native)) as ParleyEvent;
      after = record.seq;
    }
    if (records.length === PAGE) continue;
    if (after < head.last) yield gapEvent(id, after, { first: head.last + 1, state: head.state });
    return;
  }
}

function gapEvent(session: string, after: number, { first, state }: Base): GapEvent {
  const seq = first - 1;
  const snapshot = { ...state, status: activity(state) };
  return { type: "gap", id: `${session}:${seq}`, seq, session, data: { after, first, snapshot } };
}
