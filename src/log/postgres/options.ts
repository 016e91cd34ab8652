import type { ParleyError } from "../../core/errors.ts";
import type { Database } from "../../postgres/database.ts";
import type { Log } from "../contract.ts";
import type { Hints } from "./hints.ts";

export interface PostgresLogOptions {
  /** Stays open when the log is closed. */
  database: Database;
  /** The identity of the data directory: the log's owner. */
  directory: string;
  /** The number of this node now. */
  node(): number;
  /** The place of the sessions that are created here. */
  place: string;
  /** Whether the agents' own lines are stored beside the events. */
  keepNative?: boolean;
  /** Hears of listeners that throw and of what failed without a caller. */
  report?: (thrown: unknown) => void;
  /** The reason why nothing can be acknowledged now, such as a lease that is over. */
  fault?: () => ParleyError | undefined;
  /** Hears that the database has lost its end, as one has that failed over to a replica which lagged: what is in memory is not in it. */
  lostEnd?: () => void;
}

export interface PostgresLogStats {
  /** Statements that were sent, of the whole database. */
  statements: number;
  connections: number;
  /** Holds that the database no longer knew when they were used. */
  fenced: number;
  /** Whether notifications come; without them everything is found by looking. */
  hintsUp: boolean;
  /** Milliseconds from the sending of a hint until it is heard, the last time. */
  hintLagMs: number;
  /** Milliseconds from a commit until its place in the order over all sessions, the last time. */
  orderLagMs: number;
}

export interface PostgresLog extends Log {
  /** Further hints between the nodes of the database, beside those of the log. */
  readonly hints: Hints;
  stats(): PostgresLogStats;
}
