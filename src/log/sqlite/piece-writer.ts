import type { DatabaseSync } from "node:sqlite";
import type { Rights } from "../holds.ts";
import { type Append, type PlannedRow, planAppend } from "../plan-append.ts";
import { eventSum } from "./checksum.ts";
import type { Head, Heads } from "./heads.ts";
import type { PlaceGuard } from "./place-guard.ts";
import { type EventParams, INSERT_EVENT } from "./row-writer.ts";
import { prepare } from "./statement.ts";
import type { ToldPiece, ToldPieces } from "./told-pieces.ts";
import { inTransaction } from "./transaction.ts";

/** A longer delta is no piece: it goes the way of heavy appends. */
const MAX_LENGTH = 256 * 1024;
/** The files are looked at so long after a piece: right after it was told, its client may wait for the same processor. */
const LOOK_AFTER_MS = 1;
/** How long pieces may be told and not yet be in the database. */
const STORE_AFTER_MS = 50;
/** How long a database that did not take pieces is left alone. */
const AGAIN_MS = 250;

interface PieceWriterOptions {
  database: DatabaseSync;
  heads: Heads;
  rights: Rights;
  keepNative: boolean;
  guard: PlaceGuard;
  /** Where pieces are written down. */
  file: ToldPieces;
  /** Whether a piece that is written down may be told; else each is stored in the database first. */
  early: boolean;
  /** Hears of sessions whose pieces are stored now, after a time in which the database did not take them. */
  late(sessions: ReadonlySet<string>): void;
}

/** A piece that is written down and may be told, and that the database does not have yet. */
interface Unstored {
  position: number;
  target: Head;
  type: string;
  item: string | null;
  json: string;
  native: string | undefined;
}

/** Whether an append is one delta, which is one row and changes nothing else. */
export function isPiece({ entries }: Append): boolean {
  const draft = entries.length === 1 ? entries[0]?.draft : undefined;
  return draft?.type === "item.delta" && (draft.data.delta ?? draft.data.replace ?? "").length < MAX_LENGTH;
}

/**
 * Stores pieces. An agent that speaks waits for each of them, so that nothing is done before a piece is told that can be
 * done after it: it is written down, told, and stored in the database some milliseconds later, with those behind it.
 */
export function createPieceWriter(options: PieceWriterOptions) {
  const { database, heads, rights, keepNative, guard, file, early, late } = options;
  const insert = prepare<EventParams>(database, INSERT_EVENT);
  const plan = { keepNative, fresh: neverNew };
  let unstored: Unstored[] = [];
  /** When the database did not take them. */
  let failed: number | undefined;
  /** Pieces of the file are to be forgotten as soon as the database has all of them. */
  let isToForget = false;
  let isClosed = false;
  const look = later(guard.lookAfter, LOOK_AFTER_MS);
  const storeLater = later(store, STORE_AFTER_MS);
  const storeAgain = later(store, AGAIN_MS + 1);

  function insertRow({ position, target, type, item, json, native }: Unstored): void {
    const { sid, last: seq } = target;
    insert.run(position, sid, seq, type, item, json, native ?? null, eventSum(sid, seq, type, json));
  }

  function insertAll(): void {
    for (const piece of unstored) insertRow(piece);
  }

  function stored(): void {
    if (unstored.length === 0) return;
    const sessions = new Set(unstored.map(({ target }) => target.session));
    // Readers of this time did not see them.
    if (failed !== undefined) setImmediate(late, sessions);
    unstored = [];
    failed = undefined;
    heads.caughtUp();
    file.stored();
    if (isToForget) forget();
  }

  /** Stores what is written down, where the database takes it; else somewhat later. */
  function store(): void {
    if (unstored.length === 0 || isClosed) return;
    if (failed !== undefined && performance.now() - failed < AGAIN_MS) return storeAgain();
    try {
      inTransaction(database, insertAll);
      stored();
    } catch {
      failed = performance.now();
      storeAgain();
    }
  }

  /** Leaves no text of pieces in the file, such as those of a session that was removed. */
  function forget(): void {
    if (isClosed) return;
    isToForget = true;
    store();
    if (unstored.length > 0) return;
    try {
      file.clear();
      isToForget = false;
    } catch {
      // All is stored whatever happens to the file: it is tried again with the next pieces.
    }
  }

  return {
    /**
     * Takes a piece at a position: it may be told then, and `told` is to be called after that. Undefined where it needs a
     * look at more than the session's head, or others wait for the database: nothing was done then.
     */
    take(piece: Append, position: number): PlannedRow | undefined {
      if (failed !== undefined) return undefined;
      rights.assert(piece.right);
      const head = heads.known(piece.right.session);
      if (!head) return undefined;
      const { rows, target } = planAppend<Head>(piece, { ...plan, found: head });
      const [row] = rows;
      // Without a row it is a repeat.
      if (!row) return undefined;
      guard.assertLately();
      const { type, json, native } = row.record;
      const taken = { position, target, type, item: row.item, json, native };
      if (early && file.keep(json, native)) {
        unstored.push(taken);
        heads.putAhead(target);
        storeLater();
        return row;
      }
      inTransaction(database, () => {
        insertAll();
        insertRow(taken);
      });
      stored();
      heads.put(target);
      return row;
    },
    /** To be called when a piece was told. */
    told: look,
    /** Takes up a piece of an earlier process at a position. False where the database has it. */
    resume({ event, json, native }: ToldPiece, position: number): boolean {
      const head = heads.find(event.session);
      if (!head || head === "removed" || head.last !== event.seq - 1) return false;
      const target = { ...head, last: event.seq };
      unstored.push({ position, target, type: event.type, item: event.data.item, json, native });
      heads.putAhead(target);
      return true;
    },
    store,
    /** Stores what is written down inside the caller's transaction, which calls `stored` once it is committed. */
    insertAll,
    stored,
    forget,
    /** Nothing is stored any more: what the database did not take stays in the file. */
    close(): void {
      isClosed = true;
      file.close();
    },
  };
}

/** A call that comes so long after it was asked for, once however often it was asked for meanwhile. It keeps no process alive. */
function later(call: () => void, delayMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isSet = false;
  return () => {
    if (isSet) return;
    isSet = true;
    timer ??= setTimeout(() => {
      isSet = false;
      call();
    }, delayMs).unref();
    timer.refresh();
  };
}

function neverNew(): never {
  throw new Error("expected a piece of a session that is known, got one of a new session");
}
