import type { ServerFacts } from "../../../postgres/server.ts";

export interface Replica {
  name: string;
  /** `async`, `potential`, `sync` or `quorum`; null where this user may not know. */
  sync: string | null;
}

export interface TableFacts {
  name: string;
  live: number;
  dead: number;
}

export interface NodeFacts {
  name: string;
  place: string;
  address: string;
  leaseLeftMs: number;
}

/** Sessions of dead nodes that have an open turn, or prompts that wait. */
export interface LeftSessions {
  place: string;
  count: number;
}

/** All that is known of a database. */
export interface DatabaseFacts {
  where: string;
  user: string;
  database: string;
  server: ServerFacts & {
    /** The version in words. */
    shown: string;
    fsync: boolean;
    synchronousCommit: string;
    synchronousStandbys: string;
    mayCreate: boolean;
    mayWrite: boolean;
  };
  schema: { found: number; oldest: number; newest: number };
  replicas: readonly Replica[];
  /** How far this machine's clock is ahead of the database's, and how well that is known. */
  clock: { aheadMs: number; withinMs: number };
  tables: readonly TableFacts[];
  nodes: readonly NodeFacts[];
  left: readonly LeftSessions[];
  /** The age of the oldest append that has no place in the order over all sessions. */
  unorderedMs: number | undefined;
}
