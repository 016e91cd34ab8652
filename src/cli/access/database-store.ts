import type { Ask } from "../../client/index.ts";
import { livingNodes } from "../../cluster/node-rows.ts";
import { activity, type SessionState } from "../../core/session-state.ts";
import { type DatabaseReader, openDatabaseReader } from "../../log/postgres/reader.ts";
import type { Settings } from "../config/settings.ts";
import { startProblem } from "../serve/problems.ts";
import { offlineAgents } from "./offline-agents.ts";
import { usageOffline } from "./offline-usage.ts";
import { clientOf } from "./online-store.ts";
import type { OwnServer } from "./own-server.ts";
import { readEvents } from "./read-events.ts";
import { searchIn } from "./search.ts";
import type { ListedSession, Store } from "./store.ts";

/** A turn that is open runs where a node has its session. Without one it was interrupted. */
async function listed(reader: DatabaseReader, states: readonly SessionState[]): Promise<ListedSession[]> {
  const open = states.filter(({ turn }) => turn).map(({ id }) => id);
  const held = open.length > 0 ? await reader.held(open) : new Set();
  return states.map((state) => {
    const status = state.turn && !held.has(state.id) ? "interrupted" : activity(state);
    return { ...state, status };
  });
}

/** Whether a session is another one, or that of a sub-agent of it, however deep. */
async function isBelow(reader: DatabaseReader, state: SessionState, other: string): Promise<boolean> {
  const { id, root, parent } = state;
  if (id === other || root === other) return true;
  const above = parent === undefined || parent === root ? undefined : await reader.head(parent);
  return above !== undefined && isBelow(reader, above.state, other);
}

/** The asks of sessions that a node works with: nobody else waits for an answer. */
async function openAsks(reader: DatabaseReader, session: string | undefined): Promise<Ask[]> {
  const asking = (await reader.unsettled()).filter(({ asks }) => asks.length > 0);
  const held = await reader.held(asking.map(({ id }) => id));
  const asks: Ask[] = [];
  for (const state of asking) {
    const meant = session === undefined || (await isBelow(reader, state, session));
    if (meant && held.has(state.id)) asks.push(...state.asks.map((ask) => ({ ...ask, session: state.id })));
  }
  return asks;
}

async function ownServer(settings: Settings): Promise<OwnServer> {
  const { startOwnServer } = await import("./own-server.ts");
  return startOwnServer(settings, process.cwd()).catch((thrown: unknown) => {
    throw startProblem(thrown, settings);
  });
}

/**
 * The database that nodes share, where none of them runs on this data directory. It is only read; to remove a session, this
 * process becomes a node for as long as the command runs.
 */
export async function databaseStore(url: string, settings: Settings): Promise<Store> {
  const reader = await openDatabaseReader(url);
  let own: OwnServer | undefined;
  return {
    async list(query) {
      const states = (await reader?.list({ ...query, parent: query.parent ?? null })) ?? [];
      return reader ? listed(reader, states) : [];
    },
    async get(id) {
      const head = await reader?.head(id);
      if (!reader || !head) return undefined;
      const [session] = await listed(reader, [head.state]);
      return session && { ...session, first: head.first, last: head.last };
    },
    search: (words, query) => searchIn(reader, words, query),
    events: (id, query) => (reader ? readEvents(reader, id, query) : (async function* () {})()),
    async remove(id) {
      own ??= await ownServer(settings);
      await clientOf(own).sessions.delete(id);
    },
    agents: () => offlineAgents(settings),
    asks: async (session) => (reader ? openAsks(reader, session) : []),
    usage: (query) => usageOffline(reader, settings, query),
    async nodes() {
      if (!reader) return [];
      const nodes = await livingNodes({ control: (text, values) => reader.query(text, values) });
      return nodes.map((node) => ({ ...node, self: false }));
    },
    async close() {
      await reader?.close();
      await own?.close();
    },
  };
}
