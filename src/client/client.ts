import type { ParleyEvent } from "../core/events/event.ts";
import type { EventStream } from "./closable.ts";
import { type EventsOptions, openEvents } from "./event-stream.ts";
import { messageIds } from "./message-id.ts";
import { readPage } from "./pages.ts";
import { type Backoff, backoffMs } from "./retry.ts";
import { SessionHandle } from "./session.ts";
import type { EventPage } from "./stream-types.ts";
import { Transport } from "./transport.ts";
import type {
  AgentInfo,
  Ask,
  Health,
  NativeSession,
  NewSession,
  SessionChange,
  SessionDetail,
  SessionList,
  SessionListQuery,
  TrustedDirectory,
  TrustInfo,
} from "./types.ts";

export interface ClientOptions {
  /** The server's address; a path before `/v1` is kept. */
  url: string | URL;
  token?: string;
  /** Who answers asks, in the events: letters, digits, spaces and .:@/-, up to 64. */
  name?: string;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** For how long a request may be without an answer: a minute by default. */
  timeoutMs?: number;
  /** How often a read or a prompt is sent again when no answer came: five times by default. */
  retries?: number;
  /** The waits between tries; doubling, with chance, by default. */
  backoff?: Backoff;
}

export interface ParleyClient {
  readonly url: string;
  health(): Promise<Health>;
  agents(): Promise<AgentInfo[]>;
  /** One agent, as it is in a directory of the server's machine. */
  agent(name: string, directory?: string): Promise<AgentInfo>;
  /** The sessions that an agent itself keeps for a directory. */
  agentSessions(name: string, directory?: string): Promise<NativeSession[]>;
  sessions: {
    create(request?: NewSession): Promise<SessionDetail>;
    /** A page of sessions, newest first. */
    list(query?: SessionListQuery): Promise<SessionList>;
    get(id: string): Promise<SessionDetail>;
    update(id: string, change: SessionChange): Promise<SessionDetail>;
    delete(id: string): Promise<void>;
  };
  trust: {
    /** Of a directory on the server's machine, by its absolute path. */
    get(directory: string): Promise<TrustInfo>;
    /** Agents take all that a project's files say there, commands to run too; or no longer. */
    set(directory: string, trusted: boolean): Promise<TrustInfo>;
    list(): Promise<TrustedDirectory[]>;
  };
  /** A handle of one session; nothing is sent. */
  session(session: string | { id: string }): SessionHandle;
  /** What waits for an answer in any session. */
  asks(): Promise<Ask[]>;
  /** The events of all sessions in the order in which they were stored, from now on unless a cursor is given. */
  allEvents(options?: EventsOptions): EventStream<ParleyEvent>;
  /** A page of them. */
  page(query?: { after?: string | number; limit?: number; native?: boolean }): Promise<EventPage>;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 5;

function baseOf(url: string | URL): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
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
export function createClient(options: ClientOptions): ParleyClient {
  const base = baseOf(options.url);
  const transport = new Transport({
    base,
    token: options.token,
    name: options.name,
    // Looked up late and called as a function of the window, as browsers want it.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    backoff: options.backoff ?? ((attempt, baseMs) => backoffMs(attempt, baseMs, Math.random())),
  });
  const newId = messageIds(Date.now);
  const get = <T>(...path: string[]): Promise<T> => transport.json<T>({ method: "GET", path, repeatable: true });
  const about = <T>(path: string[], directory: string | undefined): Promise<T> =>
    transport.json<T>({ method: "GET", path, query: { directory }, repeatable: true });
  const session = (one: string | { id: string }): SessionHandle =>
    new SessionHandle(typeof one === "string" ? one : one.id, transport, newId);
  return {
    url: base.href,
    health: () => get("health"),
    agent: (name, directory) => about(["v1", "agents", name], directory),
    agentSessions: async (name, directory) =>
      (await about<{ sessions: NativeSession[] }>(["v1", "agents", name, "sessions"], directory)).sessions,
    agents: async () => (await get<{ agents: AgentInfo[] }>("v1", "agents")).agents,
    sessions: {
      create: (request = {}) => transport.json({ method: "POST", path: ["v1", "sessions"], body: request }),
      list: (query) =>
        transport.json({ method: "GET", path: ["v1", "sessions"], query: { ...query }, repeatable: true }),
      get: (id) => session(id).get(),
      update: (id, change) => session(id).update(change),
      delete: (id) => session(id).delete(),
    },
    trust: {
      get: (directory) =>
        transport.json({ method: "GET", path: ["v1", "trust"], query: { directory }, repeatable: true }),
      set: (directory, trusted) =>
        transport.json({ method: "PUT", path: ["v1", "trust"], body: { directory, trusted } }),
      list: async () => (await get<{ trusted: TrustedDirectory[] }>("v1", "trusted")).trusted,
    },
    session,
    asks: async () => (await get<{ asks: Ask[] }>("v1", "asks")).asks,
    // The server says gaps in one session's stream only.
    allEvents: (given = {}) =>
      openEvents(transport, null, { ...given, after: given.after ?? "latest" }) as EventStream<ParleyEvent>,
    page: (query) => readPage(transport, { ...query, session: null }),
  };
}
