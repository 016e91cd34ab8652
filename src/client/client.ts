import type { ParleyEvent } from "../core/events/event.ts";
import type { UsageAnswer, UsageQuery } from "../core/spending/report.ts";
import type { TrustedDirectory, TrustInfo } from "../core/trust.ts";
import { checkOptions, type OptionNames } from "./check-options.ts";
import type { EventStream } from "./closable.ts";
import { ALL_EVENTS_OPTIONS, type AllEventsOptions, openEvents } from "./event-stream.ts";
import { messageIds } from "./message-id.ts";
import { type PageQuery, readPage } from "./pages.ts";
import { type Backoff, backoffMs } from "./retry.ts";
import type { SearchOptions, SearchResult } from "./search-types.ts";
import { SessionHandle } from "./session.ts";
import type { EventPage } from "./stream-types.ts";
import { terminalsOf } from "./terminals.ts";
import { type Call, Transport } from "./transport.ts";
import type {
  AgentInfo,
  ConsoleLink,
  FileName,
  Health,
  ListedAsk,
  NativeSession,
  NewSession,
  ParleyNode,
  SessionChange,
  SessionDetail,
  SessionList,
  SessionListQuery,
  UsedDirectory,
} from "./types.ts";

export interface ClientOptions {
  /** The server's address; a path before `/v1` is kept. */
  url: string | URL;
  /** Null for a server without one. */
  token?: string | null;
  /** The name of this client in the events of its answers: letters, digits, spaces and .:@/-, up to 64. */
  name?: string;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How long a request may wait for its response: a minute by default. */
  timeoutMs?: number;
  /** How often a read or a prompt is sent again when no response came: five times by default. */
  retries?: number;
  /** The waits between tries; doubling, with chance, by default. */
  backoff?: Backoff;
}

const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  url: true,
  token: true,
  name: true,
  fetch: true,
  timeoutMs: true,
  retries: true,
  backoff: true,
};
const USAGE_OPTIONS: OptionNames<UsageQuery> = {
  by: true,
  from: true,
  to: true,
  tz: true,
  directory: true,
  agent: true,
  limit: true,
};
const SEARCH_OPTIONS: OptionNames<SearchOptions> = {
  session: true,
  directory: true,
  agent: true,
  kind: true,
  after: true,
  limit: true,
};
const LIST_OPTIONS: OptionNames<SessionListQuery> = { directory: true, parent: true, after: true, limit: true };

/** An agent's name that can be a part of a path, as each that there is can. */
function agentName(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new TypeError(`expected an agent's name, got "${name}"`);
  return name;
}

export interface FileQuery {
  /** The server's own unless told. */
  directory?: string;
  /** Letters of the path, in their order. */
  q?: string;
  limit?: number;
}

const FILE_OPTIONS: OptionNames<FileQuery> = { directory: true, q: true, limit: true };

export type ParleyClient = ReturnType<typeof createClient>;

const TIMEOUT_MS = 60_000;
const RETRIES = 5;

function baseOf(url: string | URL): URL {
  const base = URL.parse(String(url)) ?? undefined;
  if (!base || !/^https?:$/.test(base.protocol)) {
    throw new TypeError(`expected the address of a server such as http://127.0.0.1:7420, got "${url}"`);
  }
  if (base.username || base.password || base.search || base.hash) {
    throw new TypeError(
      "expected an address without credentials, ? or #: give the token as createClient({ url, token })",
    );
  }
  return base;
}

/** A client of the universal API. It needs only the web platform. */
export function createClient(options: ClientOptions) {
  checkOptions("createClient", options, CLIENT_OPTIONS);
  const base = baseOf(options.url);
  const transport = new Transport({
    base,
    token: options.token ?? undefined,
    name: options.name,
    // Looked up late and called as a function of the window, as browsers want it.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    backoff: options.backoff ?? ((attempt, baseMs) => backoffMs(attempt, baseMs, Math.random())),
  });
  const newId = messageIds(Date.now);
  const get = <T>(path: readonly string[], query?: Call["query"]): Promise<T> =>
    transport.json<T>({ method: "GET", path, query, repeatable: true });
  const session = (one: string | { id: string }): SessionHandle =>
    new SessionHandle(typeof one === "string" ? one : one.id, transport, newId);
  return {
    url: base.href,
    health: (): Promise<Health> => get(["health"]),
    agents: async (): Promise<AgentInfo[]> => (await get<{ agents: AgentInfo[] }>(["v1", "agents"])).agents,
    /** One agent, as it is in a directory of the server's machine. `kept`: what is known of it, however old, without a start of its program. */
    agent: async (name: string, directory?: string, { kept }: { kept?: boolean } = {}): Promise<AgentInfo> =>
      get(["v1", "agents", agentName(name)], { directory, kept }),
    /** The sessions that an agent itself keeps for a directory. */
    agentSessions: async (name: string, directory?: string): Promise<NativeSession[]> =>
      (await get<{ sessions: NativeSession[] }>(["v1", "agents", agentName(name), "sessions"], { directory })).sessions,
    sessions: {
      create: (request: NewSession = {}): Promise<SessionDetail> =>
        transport.json({ method: "POST", path: ["v1", "sessions"], body: request }),
      /** Stores a session from the lines of an export. Its id is its own where that is free, else a new one. */
      import: (jsonl: string, directory?: string): Promise<SessionDetail> =>
        transport.json({ method: "POST", path: ["v1", "sessions", "import"], body: { jsonl, directory } }),
      /** A page of sessions, newest first. */
      list: async (query: SessionListQuery = {}): Promise<SessionList> => {
        checkOptions("sessions.list", query, LIST_OPTIONS);
        return get(["v1", "sessions"], { ...query });
      },
      get: (id: string): Promise<SessionDetail> => session(id).get(),
      update: (id: string, change: SessionChange): Promise<SessionDetail> => session(id).update(change),
      delete: (id: string): Promise<void> => session(id).delete(),
    },
    /** A page of what was said and done, in all sessions, newest first. Any text is a query. */
    search: async (words: string, query: SearchOptions = {}): Promise<SearchResult> => {
      checkOptions("search", query, SEARCH_OPTIONS);
      return get(["v1", "search"], { q: words, ...query });
    },
    trust: {
      /** Of a directory on the server's machine, by its absolute path. */
      get: (directory: string): Promise<TrustInfo> => get(["v1", "trust"], { directory }),
      /** Agents take all that a project's files say there, commands to run too; or no longer. */
      set: (directory: string, trusted: boolean): Promise<TrustInfo> =>
        transport.json({ method: "PUT", path: ["v1", "trust"], body: { directory, trusted } }),
      list: async (): Promise<TrustedDirectory[]> =>
        (await get<{ trusted: TrustedDirectory[] }>(["v1", "trusted"])).trusted,
    },
    /** Terminals on the server's machine. */
    terminals: terminalsOf(transport),
    /** Names inside a directory of the server's machine whose path fits `q`, the best first. */
    files: async (query: FileQuery = {}): Promise<FileName[]> => {
      checkOptions("files", query, FILE_OPTIONS);
      return (await get<{ files: FileName[] }>(["v1", "files"], { ...query })).files;
    },
    /** The directories of sessions, newest first, and the server's own; with `q` those that fit, the best first. */
    directories: async (query: Omit<FileQuery, "directory"> = {}): Promise<UsedDirectory[]> => {
      checkOptions("directories", query, { q: true, limit: true });
      return (await get<{ directories: UsedDirectory[] }>(["v1", "directories"], { ...query })).directories;
    },
    /** A handle of one session; nothing is sent. */
    session,
    /** The open asks of all sessions. */
    asks: async (): Promise<ListedAsk[]> => (await get<{ asks: ListedAsk[] }>(["v1", "asks"])).asks,
    /** Tokens and cost of all turns that ended, by day unless told otherwise. */
    usage: async (query: UsageQuery = {}): Promise<UsageAnswer> => {
      checkOptions("usage", query, USAGE_OPTIONS);
      return get(["v1", "usage"], { ...query });
    },
    /** The nodes that share the server's database; none where it is alone with its data directory. */
    nodes: async (): Promise<ParleyNode[]> => (await get<{ nodes: ParleyNode[] }>(["v1", "nodes"])).nodes,
    /** Has a node take no new sessions, wait for its turns, and stop. */
    drainNode: (name: string): Promise<{ node: string; draining: boolean }> =>
      transport.json({ method: "POST", path: ["v1", "nodes", name, "drain"] }),
    /** Makes a link that lets one browser in to the console, once, within five minutes. */
    consoleLink: (): Promise<ConsoleLink> => transport.json({ method: "POST", path: ["v1", "console-links"] }),
    /**
     * The events of all sessions in the order in which they were stored, from now on unless a cursor is given. Gaps come
     * only in the stream of one session.
     */
    allEvents: (given: AllEventsOptions = {}) => {
      checkOptions("allEvents", given, ALL_EVENTS_OPTIONS);
      return openEvents(transport, {
        ...given,
        session: null,
        after: given.after ?? "latest",
      }) as EventStream<ParleyEvent>;
    },
    /** A page of them. */
    page: (query?: Omit<PageQuery, "session">): Promise<EventPage> => readPage(transport, { ...query, session: null }),
  };
}
