import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import { promptKey } from "../../../core/events/keys.ts";
import { SCHEMA_VERSION } from "../../../core/events/version.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";
import type { EventRecord, Log } from "../../../log/contract.ts";
import type { TurnsToKeep } from "../projection/kept-turns.ts";
import type { Projected } from "../projection/outbox.ts";
import { SessionView, type ViewOptions } from "../projection/session-view.ts";

const PAGE = 512;

export interface Priming extends Required<Pick<ViewOptions, "projectOf" | "keep">> {
  log: Log;
  /** Sees the events that the view takes in. */
  watch?(event: ParleyEvent, said: readonly Projected[], view: SessionView): void;
}

function eventOf({ json }: EventRecord): ParleyEvent {
  return JSON.parse(json) as ParleyEvent;
}

/** The number of the oldest turn's start that a view will keep. */
async function oldestStart(log: Log, session: string, newest: number, keep: TurnsToKeep): Promise<number> {
  const [first] = await log.read(session, { after: newest - 1, limit: 1 });
  const since = first ? eventOf(first).time - keep.withinMs : Number.POSITIVE_INFINITY;
  let oldest = newest;
  for (let turns = 0; turns < keep.turns; turns++) {
    // The event right before a turn is the end of the turn before it, or later than that.
    const [last] = await log.readBack(session, { before: oldest, limit: 1 });
    const start = last && eventOf(last).time >= since ? await log.turnStart(session, oldest) : undefined;
    if (start === undefined) break;
    oldest = start;
  }
  return oldest;
}

/** The newest state without the prompts that were queued at a number or later: their events are still to come. */
async function queuedBefore(log: Log, state: SessionState, number: number): Promise<SessionState> {
  const events = await Promise.all(state.queue.map(({ id }) => log.find(state.id, promptKey(id))));
  return { ...state, queue: state.queue.filter((_, index) => (events[index]?.seq ?? 0) < number) };
}

/** A view, and the number of the first event that it has seen. */
export interface Primed {
  view: SessionView;
  from: number;
}

/**
 * A view of a session as it was right before one of its events: it has seen the turn that was open then, or the last
 * one, and those that are kept beside it. Undefined for a session that the log has forgotten.
 */
export async function primedView(
  session: string,
  before: number,
  { log, projectOf, keep, watch }: Priming,
): Promise<Primed | undefined> {
  const head = await log.head(session);
  if (!head) return undefined;
  const newest = await log.turnStart(session, before);
  // Before the first turn there are only a few events: one who watches sees them all.
  const none = watch ? Math.min(head.first, before) : before;
  const kept = newest === undefined ? none : await oldestStart(log, session, newest, keep);
  // A cut that is still to come removes messages that only a view of its turns can name.
  const cuts = (head.state.cuts ?? []).filter(({ to }) => to >= before);
  const from = Math.min(kept, ...cuts.map((cut) => cut.from));
  const state = await queuedBefore(log, head.state, from);
  const view = new SessionView(state, { projectOf, asOf: head.last, keep });
  for (let after = from - 1; ; ) {
    const records = await log.read(session, { after, limit: PAGE });
    for (const record of records) {
      if (record.seq >= before) return { view, from };
      const event = eventOf(record);
      const said = view.apply(event);
      watch?.(event, said, view);
    }
    if (records.length < PAGE) return { view, from };
    after = records.at(-1)?.seq ?? before;
  }
}

function isDeletion(event: ParleyEvent): event is EventOf<"session.ended"> {
  return event.type === "session.ended" && event.data.reason === "deleted";
}

/** A view of a session of which only its last event is left: as much as that says of it. */
export function lastView(record: EventRecord, { projectOf, keep }: Omit<Priming, "log">): Primed | undefined {
  const event = eventOf(record);
  if (!isDeletion(event)) return undefined;
  const { agent = "unknown", directory = "/" } = event.data;
  const begun: ParleyEvent = { ...event, type: "session.started", data: { agent, directory, version: SCHEMA_VERSION } };
  return { view: new SessionView(reduceSession(undefined, begun), { projectOf, keep }), from: record.seq };
}
