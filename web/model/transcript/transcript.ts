import type { EventOf, ParleyEvent } from "../../../src/core/events/event.ts";
import { partOf } from "./part.ts";
import { joinRows, type Row, rowOfPart } from "./row.ts";
import { joinTurns, type Turn } from "./turn.ts";

/**
 * A run of a session's events as people read them. Runs that follow each other can be joined, and it does not matter where
 * they were parted: pages of older events are put before what is there.
 */
export interface Transcript {
  /** Numbers of the first and the last event; 0 where there is none. */
  first: number;
  last: number;
  turns: readonly Turn[];
  /** What happened to the session outside of its turns. */
  loose: readonly Row[];
  /** The turns that were cut. */
  cut: readonly string[];
}

export const NOTHING: Transcript = { first: 0, last: 0, turns: [], loose: [], cut: [] };

/** What one event adds to a transcript. */
type Piece =
  | { turn: Omit<Turn, "id" | "at" | "last" | "time"> }
  | { loose: Row }
  | { cut: readonly string[]; loose: Row };

const rows = (...all: Row[]): Piece => ({ turn: { rows: all } });

function note(event: ParleyEvent, text: string, tone: "plain" | "bad" = "plain", detail?: string): Piece {
  const { seq, time } = event;
  return {
    loose: { kind: "note", key: `note:${seq}`, at: seq, time, tone, text, ...(detail ? { detail } : {}) },
  };
}

function endNote(event: EventOf<"session.ended">): Piece | undefined {
  const { reason, exitCode, signal, stderr = [] } = event.data;
  const how = signal ? ` by ${signal}` : typeof exitCode === "number" ? ` with code ${exitCode}` : "";
  if (reason === "crashed")
    return note(
      event,
      `The agent ended unexpectedly${how}. The next prompt starts it again.`,
      "bad",
      stderr.join("\n"),
    );
  return reason === "deleted" ? note(event, "This session was deleted.", "bad") : undefined;
}

function updateNote(event: EventOf<"session.updated">): Piece | undefined {
  if (event.data.resume === "lost")
    return note(
      event,
      "The agent no longer knows its own session: it goes on without its memory of what is above.",
      "bad",
    );
  return event.data.agent === undefined
    ? undefined
    : note(event, `${event.data.agent} serves this session from here on.`);
}

function cutPiece(event: EventOf<"history.cut">): Piece {
  const count = event.data.turns.length;
  const { loose } = note(event, count === 1 ? "One turn was taken back." : `${count} turns were taken back.`) as {
    loose: Row;
  };
  return { cut: event.data.turns, loose };
}

function askPiece(event: EventOf<"permission.requested"> | EventOf<"question.requested">): Piece {
  const { seq: at, time } = event;
  const request =
    event.type === "permission.requested"
      ? ({ kind: "permission", data: event.data } as const)
      : ({ kind: "question", data: event.data } as const);
  return rows({ kind: "ask", key: event.data.ask, at, time, request });
}

function errorPiece(event: EventOf<"error">): Piece {
  const row: Row = { kind: "error", key: `error:${event.seq}`, at: event.seq, failure: event.data };
  return event.turn === undefined ? { loose: row } : rows(row);
}

/** What an event adds; nothing for one that the page shows elsewhere, and for types of a newer Parley. */
function pieceOf(event: ParleyEvent): Piece | undefined {
  const { seq: at, time } = event;
  switch (event.type) {
    case "session.started":
      return event.data.forked ? note(event, "This session is a fork: it begins with the past of another.") : undefined;
    case "session.updated":
      return updateNote(event);
    case "session.ended":
      return endNote(event);
    case "session.note":
      return note(event, event.data.text || "The background work is over.");
    case "history.cut":
      return cutPiece(event);
    case "turn.started":
      return { turn: { rows: [], start: event.data, status: { status: "running" } } };
    case "turn.status":
      return {
        turn: {
          rows: [],
          status: event.data,
          ...("attempt" in event.data ? { retries: Number(event.data.attempt) } : {}),
        },
      };
    case "turn.ended":
      return { turn: { rows: [], end: event.data, endTime: time } };
    case "step.started":
      return event.data.summary
        ? rows({ kind: "summary", key: `summary:${event.data.id}`, at })
        : { turn: { rows: [] } };
    case "item.started":
    case "item.updated":
    case "item.delta":
    case "item.completed":
      return rows(rowOfPart(partOf(event)));
    case "permission.requested":
    case "question.requested":
      return askPiece(event);
    case "permission.resolved":
    case "question.resolved":
      return rows({ kind: "ask", key: event.data.ask, at, time, resolution: event.data });
    case "plan.updated":
      return rows({ kind: "plan", key: "plan", at, entries: event.data.entries });
    case "usage.updated":
      return { turn: { rows: [], usage: event.data } };
    case "error":
      return errorPiece(event);
    case "agent.unparsed": {
      const { count, reason, sample } = event.data;
      return note(
        event,
        `The agent said ${count === 1 ? "a line" : `${count} lines`} that Parley does not understand (${reason}).`,
        "plain",
        sample,
      );
    }
    case "step.ended":
    case "session.limits":
    case "prompt.queued":
    case "prompt.withdrawn":
      return undefined;
    default:
      event satisfies never;
      return undefined;
  }
}

function single(event: ParleyEvent): Transcript {
  const { seq, time } = event;
  const piece = pieceOf(event);
  const alone = { ...NOTHING, first: seq, last: seq };
  if (!piece) return alone;
  if (!("turn" in piece)) return { ...alone, loose: [piece.loose], ...("cut" in piece ? { cut: piece.cut } : {}) };
  if (event.turn === undefined) return { ...alone, loose: piece.turn.rows };
  return { ...alone, turns: [{ id: event.turn, at: seq, last: seq, time, ...piece.turn }] };
}

/** The transcript of two runs of events, of which the second follows the first. */
export function join(older: Transcript, newer: Transcript): Transcript {
  if (older.last === 0) return newer;
  if (newer.last === 0) return older;
  const last = older.turns.at(-1);
  const next = newer.turns[0];
  const turns =
    last && next && last.id === next.id
      ? [...older.turns.slice(0, -1), joinTurns(last, next), ...newer.turns.slice(1)]
      : next
        ? [...older.turns, ...newer.turns]
        : older.turns;
  const loose = newer.loose.length === 0 ? older.loose : joinRows(older.loose, newer.loose);
  const cut = newer.cut.length === 0 ? older.cut : [...older.cut, ...newer.cut];
  return { first: older.first, last: newer.last, turns, loose, cut };
}

/** With events that come after all that is there. Those that are there already are passed over. */
export function withNewer(transcript: Transcript, events: readonly ParleyEvent[]): Transcript {
  let now = transcript;
  for (const event of events) if (event.seq > now.last) now = join(now, single(event));
  return now;
}

/** With a page of events before all that is there. */
export function withOlder(transcript: Transcript, events: readonly ParleyEvent[]): Transcript {
  const { first } = transcript;
  const older = first === 0 ? events : events.filter(({ seq }) => seq < first);
  return join(withNewer(NOTHING, older), transcript);
}

export type Section = { kind: "turn"; turn: Turn; taken: boolean } | { kind: "loose"; rows: readonly Row[] };

/** Turns and what happened between them, in order. `back`: turns that were taken back and may come again. */
export function sectionsOf({ turns, loose, cut }: Transcript, back: readonly string[] = []): Section[] {
  const gone = new Set([...cut, ...back]);
  const sections: Section[] = [];
  let at = 0;
  const looseUntil = (seq: number): void => {
    const from = at;
    while (at < loose.length && (loose[at]?.at ?? 0) < seq) at++;
    if (at > from) sections.push({ kind: "loose", rows: loose.slice(from, at) });
  };
  for (const turn of turns) {
    looseUntil(turn.at);
    sections.push({ kind: "turn", turn, taken: gone.has(turn.id) });
  }
  looseUntil(Number.POSITIVE_INFINITY);
  return sections;
}
