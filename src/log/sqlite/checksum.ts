import { jsonIn, objectAs } from "../../core/json/fields.ts";
import type { SessionState } from "../../core/session-state.ts";
import { crc32 } from "../crc32.ts";

/** The sum of an event's row. It covers the row's place, so that a row under another number does not match. */
export function eventSum(sid: number, seq: number, type: string, json: string | Uint8Array): number {
  return crc32(json, crc32(type, (Math.imul(sid, 0x9e3779b1) ^ seq) >>> 0));
}

/** The sum of a session's state. */
export function stateSum(session: string, state: string): number {
  return crc32(state, crc32(session));
}

/** A row as SQLite gives it: a damaged page may give anything in any column. */
export interface StoredEvent {
  seq: unknown;
  type: unknown;
  json: unknown;
  sum: unknown;
}

/** Whether a row is as it was written. A row without a sum, of an older Parley, is sound when it is an event of that number. */
export function isSoundEvent(sid: number, row: StoredEvent): boolean {
  return typeof row.json === "string" && isSound(sid, row, row.json);
}

/** The same for a row whose JSON was read as bytes. */
export function isSoundInBytes(sid: number, row: StoredEvent): boolean {
  return row.json instanceof Uint8Array && isSound(sid, row, row.json);
}

function isSound(sid: number, { seq, type, sum }: StoredEvent, json: string | Uint8Array): boolean {
  if (typeof seq !== "number" || typeof type !== "string") return false;
  if (typeof sum === "number") return sum === eventSum(sid, seq, type, json);
  if (sum !== null) return false;
  const event = parsed(typeof json === "string" ? json : Buffer.from(json).toString());
  return event?.seq === seq && event.type === type;
}

/** A state that was stored without a sum, such as a base; undefined where it cannot be read. */
export function readState(session: string, state: unknown): SessionState | undefined {
  const found = typeof state === "string" ? parsed(state) : undefined;
  return found?.id === session ? (found as unknown as SessionState) : undefined;
}

export function isSoundState(session: string, state: unknown, sum: unknown): state is string {
  if (typeof state !== "string") return false;
  if (typeof sum === "number") return sum === stateSum(session, state);
  return sum === null && parsed(state)?.id === session;
}

const parsed = (json: string): Record<string, unknown> | undefined => objectAs(jsonIn(json));
