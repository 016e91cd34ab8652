import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log, LogRecord } from "../../log/contract.ts";

/** How many events are read at once: few at first, for most who ask want the newest only. */
const FIRST_CHUNK = 256;
const LARGEST_CHUNK = 4_096;

/**
 * A session's events before a number, cut before each `turn.started`: the newest piece first, each in its order. What is
 * held is one chunk and the piece that it cut through, however long the session is.
 */
export async function* piecesBack(log: Log, session: string, before: number): AsyncGenerator<LogRecord[]> {
  let held: LogRecord[] = [];
  let end = before;
  for (let limit = FIRST_CHUNK; ; limit = Math.min(limit * 2, LARGEST_CHUNK)) {
    const records = await log.readBack(session, { before: end, limit });
    const [first] = records;
    if (!first) break;
    end = first.seq;
    held = records.concat(held);
    for (let at = records.length - 1; at >= 0; at--) {
      if (held[at]?.type !== "turn.started") continue;
      const piece = held.slice(at);
      held = held.slice(0, at);
      yield piece;
    }
    // A long history must not keep everybody else waiting.
    await nextTurn();
  }
  if (held.length > 0) yield held;
}

/** The events after a number up to the end of the turn that is open there. */
export async function restOfTurn(log: Log, session: string, after: number): Promise<LogRecord[]> {
  const rest: LogRecord[] = [];
  for (let cursor = after; ; ) {
    const records = await log.read(session, { after: cursor, limit: FIRST_CHUNK });
    const end = records.findIndex(({ type }) => type === "turn.ended");
    rest.push(...(end < 0 ? records : records.slice(0, end + 1)));
    const last = records.at(-1);
    if (end >= 0 || !last) return rest;
    cursor = last.seq;
  }
}
