import type { DatabaseSync } from "node:sqlite";
import type { ParleyEvent } from "../../core/events/event.ts";
import { weightOf } from "../../core/json/weight.ts";
import type { SessionState } from "../../core/session-state.ts";
import type { Entry, EventRecord } from "../contract.ts";
import type { Rights } from "../holds.ts";
import {
  type Append,
  type Planned,
  type PlannedRow,
  planAppend,
  repeatQuery,
  storedBefore,
  type Target,
} from "../plan-append.ts";
import { type Written, writing } from "../written.ts";
import type { EventReads } from "./event-reads.ts";
import type { Heads } from "./heads.ts";
import { checkpointAfter } from "./late-checkpoint.ts";
import { createPieceWriter, isPiece } from "./piece-writer.ts";
import type { PlaceGuard } from "./place-guard.ts";
import { createRowWriter } from "./row-writer.ts";
import type { ToldPiece, ToldPieces } from "./told-pieces.ts";
import { inTransaction } from "./transaction.ts";

/** Events in one transaction, about. More go into further transactions, so that a flood does not hold up the event loop. */
const MAX_GROUP_EVENTS = 1000;
/** The same in characters. */
const MAX_GROUP_WEIGHT = 2 * 1024 * 1024;
/** An append of more characters is made into bytes before it is stored, some in each turn of the event loop, and its listeners hear of it one by one. */
const HEAVY = 1024 * 1024;
/**
 * After so long without a commit a piece is likely to be alone in its turn of the event loop, and is not kept waiting for
 * others. Anything else waits: sessions that name each other in one turn of the loop are stored together.
 */
const QUIET_MS = 1;

interface Pending extends Append {
  weight: number;
  /** For a heavy one: its way into bytes. */
  writing: Generator<undefined, Map<Entry, Written>> | undefined;
  resolve(records: EventRecord[]): void;
  reject(error: unknown): void;
}

/** A session as a group changes it. */
interface Staged extends Target {
  /** Undefined for a new one until it has its row. */
  sid: number | undefined;
  /** The state in the database: the same object while nothing changed it. */
  stored: SessionState | undefined;
}

interface Taken {
  pending: Pending;
  planned: Planned<Staged>;
  /** The records of a repeat. */
  stored: EventRecord[] | undefined;
}

interface GroupCommitOptions {
  database: DatabaseSync;
  heads: Heads;
  rights: Rights;
  events: Pick<EventReads, "read">;
  keepNative: boolean;
  guard: PlaceGuard;
  /** Where pieces are written down, whether they may be told then, and those that an earlier process left there. */
  file: ToldPieces;
  early: boolean;
  left: readonly ToldPiece[];
  /** Hears of sessions whose events are in the database later than they were told. */
  late(sessions: ReadonlySet<string>): void;
  toError(thrown: unknown): Error;
  /** Tells of a commit. Its first record has the position after `after`. */
  publish(records: readonly EventRecord[], events: readonly ParleyEvent[], after: number, heavy: boolean): void;
}

/** Collects what is appended in one turn of the event loop and stores it in one transaction. */
export function createGroupCommit(options: GroupCommitOptions) {
  const { database, heads, rights, events, keepNative, guard, left, toError, publish } = options;
  const writer = createRowWriter(database);
  const pieces = createPieceWriter(options);
  let position = writer.lastPosition();
  resume();
  let queue: Pending[] = [];
  let scheduled = false;
  /** When the last commit was told, or tried in vain. */
  let told = 0;
  let isCommitting = false;

  function resume(): void {
    for (const piece of left) {
      try {
        if (pieces.resume(piece, position + 1)) position += 1;
      } catch {
        // Its session cannot be read: whoever uses it is told.
      }
    }
    // Pieces of another time must not come back later, as if they followed on what is stored then.
    pieces.forget();
  }

  function append(request: Append): Promise<EventRecord[]> {
    return new Promise((resolve, reject) => {
      const weight = weightOfAppend(request);
      queue.push({
        ...request,
        weight,
        writing: weight >= HEAVY ? writing(request.entries) : undefined,
        resolve,
        reject,
      });
      schedule();
    });
  }

  /** Stores a piece, and tells of it. False where it must go the way of all others, whose errors are told. */
  function appendPiece(piece: Append): boolean {
    if (queue.length > 0 || !isPiece(piece) || !isQuiet()) return false;
    let row: PlannedRow | undefined;
    try {
      row = pieces.take(piece, position + 1);
    } catch {
      // A database that another process has locked held this up: pieces of other sessions are not to meet the same at once.
      told = performance.now();
      return false;
    }
    if (!row) return false;
    guard.stored();
    position += 1;
    isCommitting = true;
    try {
      publish([row.record], [row.event], position - 1, false);
    } catch (thrown) {
      // The piece is kept, and its writer goes on: a defect of one that heard of it is no failure of the write.
      process.nextTick(() => {
        throw thrown;
      });
    } finally {
      pieces.told();
      told = performance.now();
      isCommitting = false;
    }
    return true;
  }

  function isQuiet(): boolean {
    return !scheduled && !isCommitting && performance.now() - told > QUIET_MS;
  }

  // The check phase follows the poll phase: all signals that were read in this turn of the loop are there.
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const heavy = queue.find(isUnwritten);
      if (heavy) writeOn(heavy);
      commitGroup();
      if (queue.length > 0) schedule();
    });
  }

  /** The next appends, at most about so many: all that are written, but for those behind one of their session that is not. */
  function takeGroup(): Pending[] {
    let [events, weight] = [0, 0];
    const group: Pending[] = [];
    const rest: Pending[] = [];
    const waiting = new Set<string>();
    for (const pending of queue) {
      const { session } = pending.right;
      const full = events >= MAX_GROUP_EVENTS || weight >= MAX_GROUP_WEIGHT;
      if (full || isUnwritten(pending) || waiting.has(session)) {
        waiting.add(session);
        rest.push(pending);
        continue;
      }
      group.push(pending);
      events += pending.entries.length;
      weight += pending.weight;
    }
    queue = rest;
    return group;
  }

  function commitGroup(): void {
    isCommitting = true;
    try {
      const group = takeGroup();
      if (group.length > 0) commit(group);
    } finally {
      told = performance.now();
      isCommitting = false;
    }
  }

  function commit(group: Pending[]): void {
    const taken: Taken[] = [];
    const heavy = group.some(({ writing }) => writing !== undefined);
    try {
      const targets = heavy ? checkpointAfter(database, () => storeGroup(group, taken)) : storeGroup(group, taken);
      guard.stored();
      pieces.stored();
      for (const { sid, state, stored: _, ...rest } of targets.values()) {
        if (sid !== undefined && state) heads.put({ ...rest, sid, state });
      }
    } catch (thrown) {
      // An append that was refused by itself has its error already: a second rejection does nothing.
      const error = toError(thrown);
      for (const pending of group) pending.reject(error);
      return;
    }
    const rows = taken.flatMap(({ planned }) => planned.rows);
    const after = position;
    position += rows.length;
    for (const { pending, planned, stored } of taken) pending.resolve(stored ?? planned.rows.map((row) => row.record));
    publish(
      rows.map((row) => row.record),
      rows.map((row) => row.event),
      after,
      heavy,
    );
  }

  function storeGroup(group: Pending[], taken: Taken[]): Map<string, Staged> {
    return inTransaction(database, () => {
      pieces.insertAll();
      const staged = stage(group, taken);
      // Checked last, before the commit: acknowledged events must be in the files that other processes find.
      guard.assertInPlace();
      return staged;
    });
  }

  /** Writes a group inside the transaction. An append that cannot be taken is refused by itself, before it wrote. */
  function stage(group: Pending[], taken: Taken[]): Map<string, Staged> {
    const targets = new Map<string, Staged>();
    let next = position;
    for (const pending of group) {
      const { session } = pending.right;
      let planned: Planned<Staged>;
      let stored: EventRecord[] | undefined;
      try {
        rights.assert(pending.right);
        planned = planAppend(pending, { found: targets.get(session) ?? staged(session), fresh, keepNative });
        if (planned.repeated)
          stored = storedBefore(pending, planned.target, events.read(session, repeatQuery(pending)));
      } catch (refusal) {
        pending.reject(refusal);
        continue;
      }
      const { target, rows } = planned;
      target.sid ??= writer.createSession(target);
      writer.writeEvents(target.sid, rows, next);
      targets.set(target.session, target);
      taken.push({ pending, planned, stored });
      next += rows.length;
    }
    for (const target of targets.values())
      if (target.sid !== undefined && target.state !== target.stored) writer.writeState(target.sid, target);
    return targets;
  }

  function staged(session: string): Staged | "removed" | undefined {
    const found = heads.find(session);
    return found && found !== "removed" ? { ...found, stored: found.state } : found;
  }

  return {
    append,
    appendPiece,
    /** Commits all that waits, and takes nothing more. */
    close(): void {
      for (const pending of queue) while (isUnwritten(pending)) writeOn(pending);
      while (queue.length > 0) commitGroup();
      pieces.forget();
      pieces.close();
    },
    /** To be called before a read: the database has all that was told then, unless it takes no writes. */
    settle: pieces.store,
    forgetPieces: pieces.forget,
    /** The newest position. */
    position: () => position,
  };
}

function weightOfAppend({ entries }: Append): number {
  let weight = 0;
  for (const { draft } of entries) weight += weightOf(draft.data);
  return weight;
}

function isUnwritten({ writing, texts }: Pending): boolean {
  return writing !== undefined && texts === undefined;
}

/** Makes some more of a heavy append into bytes. */
function writeOn(pending: Pending): void {
  const step = pending.writing?.next();
  if (step?.done) pending.texts = step.value;
}

function fresh(target: Target): Staged {
  return { ...target, sid: undefined, stored: undefined };
}
