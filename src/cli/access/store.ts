import type { AgentInfo, Session, StreamEvent } from "../../client/index.ts";

export type ListedSession = Omit<Session, "status"> & { status: string };

export interface ListQuery {
  directory?: string;
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
  /** Whether a server is behind it, so that something can still happen. */
  readonly live: boolean;
  /** Newest first; sub-agents' sessions apart. */
  list(query: ListQuery): Promise<ListedSession[]>;
  exists(id: string): Promise<boolean>;
  events(id: string, query: EventQuery): AsyncIterable<StreamEvent>;
  remove(id: string): Promise<void>;
  agents(): Promise<AgentInfo[]>;
  close(): Promise<void>;
}

const PAGE = 200;

/** Every session, newest first. */
export async function everySession(store: Pick<Store, "list">, directory?: string): Promise<ListedSession[]> {
  const all: ListedSession[] = [];
  for (;;) {
    const page = await store.list({ directory, after: all.at(-1)?.id, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
