import type { GapEvent, StreamEvent } from "../../client/index.ts";
import { messageOf } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import { activity, type SessionState } from "../../core/session-state.ts";
import type { Base, LogReader } from "../../log/contract.ts";
import { followsOn } from "../../log/cursor.ts";
import { openLogReader } from "../../log/data-log.ts";
import { wireJson } from "../../surfaces/universal/wire.ts";
import type { Settings } from "../config/settings.ts";
import { usageError } from "../exit.ts";
import { offlineAgents } from "./offline-agents.ts";
import { removeOffline } from "./offline-remove.ts";
import type { EventQuery, ListedSession, Store } from "./store.ts";

const PAGE = 500;

async function* readEvents(log: LogReader, id: string, query: EventQuery): AsyncGenerator<StreamEvent> {
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

/** A turn that is open in the log of no server was interrupted. */
function listed(state: SessionState): ListedSession {
  return { ...state, status: state.turn ? "interrupted" : "idle" };
}

/**
 * The log itself, where no server runs. It is only read, and not a byte of it changes, so its lock is left alone: a server
 * that starts at this moment is not kept from it.
 */
export async function offlineStore(settings: Settings): Promise<Store> {
  const log = await openLogReader(settings.dataDir, (thrown) => process.emitWarning(messageOf(thrown)));
  return {
    list: async (query) => ((await log?.list({ ...query, parent: query.parent ?? null })) ?? []).map(listed),
    async get(id) {
      const head = await log?.head(id);
      return head && { ...listed(head.state), first: head.first, last: head.last };
    },
    events: (id, query) => (log ? readEvents(log, id, query) : (async function* () {})()),
    remove: (id) => removeOffline(settings, id),
    agents: () => offlineAgents(settings),
    nodes: async () => undefined,
    close: async () => log?.close(),
  };
}
