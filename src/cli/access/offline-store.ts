import { messageOf } from "../../core/errors.ts";
import type { SessionState } from "../../core/session-state.ts";
import { openLogReader } from "../../log/data-log-reader.ts";
import type { Settings } from "../config/settings.ts";
import { offlineAgents } from "./offline-agents.ts";
import { removeOffline } from "./offline-remove.ts";
import { usageOffline } from "./offline-usage.ts";
import { readEvents } from "./read-events.ts";
import { searchIn } from "./search.ts";
import type { ListedSession, Store } from "./store.ts";

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
    search: (words, query) => searchIn(log, words, query),
    events: (id, query) => (log ? readEvents(log, id, query) : (async function* () {})()),
    remove: (id) => removeOffline(settings, id),
    agents: () => offlineAgents(settings),
    asks: async () => undefined,
    usage: (query) => usageOffline(log, settings, query),
    nodes: async () => undefined,
    close: async () => log?.close(),
  };
}
