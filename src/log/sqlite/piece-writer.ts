import type { DatabaseSync } from "node:sqlite";
import type { Rights } from "../holds.ts";
import { type Append, type PlannedRow, planAppend } from "../plan-append.ts";
import { eventSum } from "./checksum.ts";
import type { Head, Heads } from "./heads.ts";
import type { PlaceGuard } from "./place-guard.ts";
import { type EventParams, INSERT_EVENT } from "./row-writer.ts";
import { prepare } from "./statement.ts";

/** A longer delta is no piece: it goes the way of heavy appends. */
const MAX_LENGTH = 256 * 1024;

interface PieceWriterOptions {
  database: DatabaseSync;
  heads: Heads;
  rights: Rights;
  keepNative: boolean;
  guard: PlaceGuard;
}

/** Whether an append is one delta, which is one row and changes nothing else. */
export function isPiece({ entries }: Append): boolean {
  const draft = entries.length === 1 ? entries[0]?.draft : undefined;
  return draft?.type === "item.delta" && (draft.data.delta ?? draft.data.replace ?? "").length < MAX_LENGTH;
}

/**
 * Stores pieces. The one row of a piece is a transaction by itself: to begin and to end one costs as much as the row. An agent
 * that speaks waits for each of them, so that nothing is done here that only other appends need.
 */
export function createPieceWriter({ database, heads, rights, keepNative, guard }: PieceWriterOptions) {
  const insert = prepare<EventParams>(database, INSERT_EVENT);
  const options = { keepNative, fresh: neverNew };

  /** Stores a piece at a position. Undefined where that needs a look at more than the session's head: nothing was done then. */
  return (piece: Append, position: number): PlannedRow | undefined => {
    rights.assert(piece.right);
    const head = heads.known(piece.right.session);
    if (!head) return undefined;
    const { rows, target } = planAppend<Head>(piece, { ...options, found: head });
    const [row] = rows;
    // Without a row it is a repeat.
    if (!row) return undefined;
    guard.assertLately();
    const { seq, type, json, native = null } = row.record;
    insert.run(position, head.sid, seq, type, row.item, json, native, eventSum(head.sid, seq, type, json));
    heads.put(target);
    return row;
  };
}

function neverNew(): never {
  throw new Error("expected a piece of a session that is known, got one of a new session");
}
