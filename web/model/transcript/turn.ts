import type { EventOf } from "../../../src/core/events/event.ts";
import type { TurnStatus, Usage } from "../../../src/core/events/values.ts";
import { present } from "../../../src/core/json/fields.ts";
import { joinRows, type Row } from "./row.ts";

/** A turn as the events that were read show it. */
export interface Turn {
  id: string;
  /** Numbers of the first and the last of the events, and when the first one was. */
  at: number;
  last: number;
  time: number;
  rows: readonly Row[];
  start?: EventOf<"turn.started">["data"];
  /** Its newest state, until it ends. */
  status?: TurnStatus;
  /** The tries that failed so far. */
  retries?: number;
  usage?: Usage;
  end?: EventOf<"turn.ended">["data"];
  endTime?: number;
}

export function joinTurns(older: Turn, newer: Turn): Turn {
  const end = newer.end ?? older.end;
  const retries = Math.max(older.retries ?? 0, newer.retries ?? 0);
  return present({
    id: older.id,
    at: older.at,
    last: newer.last,
    time: older.time,
    rows: joinRows(older.rows, newer.rows),
    start: older.start ?? newer.start,
    status: end ? undefined : (newer.status ?? older.status),
    retries: retries || undefined,
    usage: newer.usage ?? older.usage,
    end,
    endTime: newer.endTime ?? older.endTime,
  });
}
