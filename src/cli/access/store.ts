import type {
  AgentInfo,
  Ask,
  ParleyClient,
  ParleyNode,
  SearchOptions,
  SearchResult,
  Session,
  SessionDetail,
  StreamEvent,
  UsageAnswer,
  UsageQuery,
} from "../../client/index.ts";

export type ListedSession = Omit<Session, "status"> & { status: string };

/** A session with the numbers of its oldest kept and its newest event. */
export type FoundSession = ListedSession & Pick<SessionDetail, "first" | "last">;

export interface ListQuery {
  directory?: string;
  /** The sub-agents' sessions of this session, in place of sessions of their own. */
  parent?: string;
  after?: string;
  limit: number;
}

export interface EventQuery {
  after: number;
  native: boolean;
  follow: boolean;
}

/** Sessions, events and agents for commands, with a server or without one. */
export interface Store {
  /** The client of the running server. Without one nothing can happen any more. */
  readonly client?: ParleyClient;
  /** Newest first. */
  list(query: ListQuery): Promise<ListedSession[]>;
  /** Undefined where there is no such session. */
  get(id: string): Promise<FoundSession | undefined>;
  events(id: string, query: EventQuery): AsyncIterable<StreamEvent>;
  /** A page of hits, newest first. */
  search(words: string, query: SearchOptions & { limit: number }): Promise<SearchResult>;
  remove(id: string): Promise<void>;
  agents(): Promise<AgentInfo[]>;
  /** Asks that wait for an answer, of all sessions or of one and its sub-agents; undefined where no server can wait. */
  asks(session?: string): Promise<Ask[] | undefined>;
  /** Tokens and cost of all turns that ended. */
  usage(query: UsageQuery): Promise<UsageAnswer>;
  /** The nodes that share the database; undefined where there is none. */
  nodes(): Promise<ParleyNode[] | undefined>;
  close(): Promise<void>;
}

const PAGE = 200;

/** Every session, newest first. */
export async function everySession(
  store: Pick<Store, "list">,
  which: Pick<ListQuery, "directory" | "parent"> = {},
): Promise<ListedSession[]> {
  const all: ListedSession[] = [];
  for (;;) {
    const page = await store.list({ ...which, after: all.at(-1)?.id, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
