import type { DatabaseSync } from "node:sqlite";
import { ParleyError } from "../../core/errors.ts";
import type { SessionState } from "../../core/session-state.ts";
import type { SessionHead } from "../contract.ts";
import { isSoundState } from "./checksum.ts";
import { prepare } from "./statement.ts";

/** A session as it stands after the last commit. Never changed in place: a commit puts a new one. */
export interface Head {
  sid: number;
  session: string;
  parent?: string;
  root?: string;
  first: number;
  last: number;
  state: SessionState;
}

/** A removed session's id stays taken, so that its numbers are never given out twice. */
export type Found = Head | "removed" | undefined;

/** A found session as the log's contract tells it. */
export function headOf(found: Found): SessionHead | undefined {
  return found && found !== "removed" ? { state: found.state, last: found.last, first: found.first } : undefined;
}

export type Heads = ReturnType<typeof createHeads>;

interface Row {
  sid: number;
  parent: string | null;
  root: string | null;
  first: number;
  state: string | null;
  sum: number | null;
  last: number | null;
}

/** Makes a session's state anew from its events, where the stored one cannot be read. */
export type Rebuild = (session: string) => SessionState | undefined;

/** Keeps the heads of the sessions used last in memory, and reads the others when they are needed. */
export function createHeads(database: DatabaseSync, capacity: number, rebuild: Rebuild) {
  const recent = new Map<string, Head>();
  /** The last numbers of sessions whose newest events the database does not have yet. */
  const ahead = new Map<string, number>();
  const select = prepare<[string], Row>(
    database,
    `SELECT sid, parent, root, first, state, sum, (SELECT max(seq) FROM events WHERE events.sid = sessions.sid) AS last
     FROM sessions WHERE id = ?`,
  );

  function put(head: Head): void {
    recent.delete(head.session);
    recent.set(head.session, head);
    if (recent.size <= capacity) return;
    const [oldest] = recent.keys();
    if (oldest !== undefined) recent.delete(oldest);
  }

  function find(session: string): Found {
    const known = recent.get(session) ?? load(session);
    if (known && known !== "removed") put(known);
    return known;
  }

  /** The head of a session that was used lately; the others are found by `find`. */
  function known(session: string): Head | undefined {
    return recent.get(session);
  }

  function load(session: string): Found {
    const row = select.get(session);
    if (!row) return undefined;
    if (row.state === null) return "removed";
    const state = isSoundState(session, row.state, row.sum) ? JSON.parse(row.state) : rebuild(session);
    if (!state) throw unreadable(session);
    const last = Math.max(row.last ?? 0, ahead.get(session) ?? 0);
    const head: Head = { sid: row.sid, session, first: row.first, last, state };
    if (row.parent !== null) head.parent = row.parent;
    if (row.root !== null) head.root = row.root;
    return head;
  }

  function unreadable(session: string): ParleyError {
    const message = `the log is damaged: session ${session} cannot be read: stop the server and run \`parley doctor --repair\``;
    return new ParleyError("log_damaged", message, { session });
  }

  return {
    find,
    known,
    put,
    /** Puts a head whose last event the database gets later. */
    putAhead(head: Head): void {
      ahead.set(head.session, head.last);
      put(head);
    },
    /** The database has all events. */
    caughtUp: () => ahead.clear(),
    drop: (session: string) => recent.delete(session),
  };
}
