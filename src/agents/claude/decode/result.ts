import { type Fields, present, textIn } from "../../../core/json/fields.ts";
import { finishForeground } from "./children.ts";
import { endOf } from "./failures.ts";
import { type End, NO_TOTALS, type Reading, type Totals } from "./state.ts";
import { closeUnstreamed } from "./stream.ts";
import { totalsOf, turnUsage, windowOf } from "./usage.ts";

/** A session that the program does not know, and a line that a session does not have, or has no longer: it was cleared or compacted since. */
const UNKNOWN = ["No conversation found", "No message found with message.uuid"];

/** The answer to `--resume`, or to `--resume-session-at`, with an id that the program does not know. */
export function isResumeLost(line: Fields): boolean {
  const { errors } = line;
  const isLoss = (text: unknown): boolean =>
    typeof text === "string" && UNKNOWN.some((words) => text.startsWith(words));
  return Array.isArray(errors) && errors.some(isLoss);
}

/**
 * The end of the program's turn. It is Parley's, too, unless user lines wait that no turn has taken up: then the program may go
 * on without being idle, and the turn with it.
 */
export function onResult(reading: Reading, line: Fields): void {
  const { state } = reading;
  closeUnstreamed(reading);
  const told = endOf(line, state.failure);
  const end: End = told.reason === "cancelled" && state.lastWord ? { reason: "end_turn" } : told;
  count(reading, totalsOf(line));
  reading.patch({ context: contextAfter(reading, line) });
  finishForeground(reading);
  sayUnsaid(reading, line, end);
  const id = state.turn?.id ?? textIn(line, "uuid") ?? "turn";
  reading.patch({ turn: { id, held: end } });
  if (state.waiting.size === 0 || state.idle === "unknown") finishTurn(reading);
}

/** Takes in the program's figures. It counts anew after a conversation was cleared: figures that shrink began at zero. */
function count(reading: Reading, latest: Totals): void {
  const { latest: before, totals } = reading.state;
  const anew = latest.cost < before.cost || latest.input < before.input || latest.output < before.output;
  reading.patch({ latest, totals: anew ? NO_TOTALS : totals });
}

function contextAfter({ state }: Reading, line: Fields): { used: number; size?: number } | undefined {
  const size = windowOf(line, state.model) ?? state.context?.size;
  return state.context && { used: state.context.used, ...(size === undefined ? {} : { size }) };
}

/** Says an answer that has no line of its own, only the `result`. */
function sayUnsaid(reading: Reading, line: Fields, end: End): void {
  const text = textIn(line, "result");
  if (reading.state.spoke || !text || end.reason !== "end_turn") return;
  const item = `${textIn(line, "uuid") ?? "result"}:0`;
  reading.say({ type: "text.done", item, kind: "message", role: "assistant", text });
}

function finishTurn(reading: Reading): void {
  const { turn } = reading.state;
  if (!turn) return;
  const { reason, error } = turn.held ?? { reason: "end_turn" };
  const usage = turnUsage(reading.state);
  const { failure: _, ...rest } = reading.state;
  const { point } = rest;
  const fresh = { turn: null, message: null, spoke: false, lastWord: false, waiting: new Set<string>() };
  reading.state = { ...rest, ...fresh, totals: rest.latest };
  reading.say(present({ type: "turn.finished", turn: turn.id, reason, usage, error, point }));
}

/** Ends the turn when the program has said that it is idle, and no line is on its way to it. */
export function finishIfIdle(reading: Reading): void {
  const { idle, unread } = reading.state;
  if (idle === true && unread.size === 0) finishTurn(reading);
}

/** A line begins a turn, or goes on with one whose end was held. */
export function onTurnLine(reading: Reading, id: string): void {
  const { turn } = reading.state;
  if (turn) {
    reading.patch({ turn: { id: turn.id } });
    return;
  }
  reading.patch({ turn: { id }, message: null, unstreamed: null, spoke: false });
  reading.say({ type: "turn.begun", turn: id });
}
