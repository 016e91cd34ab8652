import type { EndReason, Failure, Usage } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { closeAsks } from "./asks.ts";
import type { Frame } from "./frame.ts";
import { clearQueue } from "./prompts.ts";
import { keepUntold } from "./shell.ts";
import type { Signal } from "./signals.ts";
import { type Closing, GRACE_MS, type LedgerTurn, type Past, rememberFinished, rememberPast } from "./state.ts";
import { closeTexts } from "./text.ts";
import { closeCalls } from "./tools.ts";
import { endStep, openAgentTurn, sayStatusItem } from "./turn.ts";

interface End {
  reason: EndReason;
  usage?: Usage;
  error?: Failure;
  point?: string;
}

/** The agent began a turn: the one that Parley opened, else one of its own. */
export function onTurnBegun(frame: Frame, native: string | undefined): void {
  if (native !== undefined && frame.state.finished.includes(native)) return;
  const { turn } = frame.state;
  if (turn?.end && turn.native !== native) closeTurn(frame, turn.end);
  openAgentTurn(frame);
  if (native !== undefined && frame.state.turn?.native === undefined) frame.patchTurn({ native });
}

/** The agent says that the turn is over. The turn ends as soon as its tool calls are settled. */
export function onTurnFinished(frame: Frame, signal: Extract<Signal, { type: "turn.finished" }>): void {
  const { turn, finished } = frame.state;
  if (!turn || turn.end) return;
  if (signal.turn !== undefined) {
    if (finished.includes(signal.turn) || (turn.native !== undefined && turn.native !== signal.turn)) return;
    if (turn.native === undefined) frame.patchTurn({ native: signal.turn });
  }
  const { reason, usage, error, point } = signal;
  frame.patchTurn({ end: present({ reason, usage, error, point }) });
  if (turn.calls.size > 0) frame.want({ type: "timer", name: "grace", turn: turn.id, ms: GRACE_MS });
}

/** Ends a turn that its agent has ended and whose calls are all settled. */
export function closeIfSettled(frame: Frame): void {
  const { turn } = frame.state;
  if (turn?.end && turn.calls.size === 0) closeTurn(frame, turn.end);
}

export function onTimer(frame: Frame, timer: { name: "grace" | "quiet"; turn: string }): void {
  const { turn } = frame.state;
  if (turn?.id !== timer.turn) return;
  if (timer.name === "grace") {
    if (turn.end) closeTurn(frame, turn.end);
  } else if (turn.calls.size === 0 && turn.asks.size === 0 && !turn.end) {
    closeTurn(frame, { reason: "end_turn" });
  }
}

export function onCancel(frame: Frame, command: { queue: "clear" | "keep"; turn?: string }): void {
  const { turn } = frame.state;
  if (command.turn !== undefined && command.turn !== turn?.id) return;
  if (command.queue === "clear") clearQueue(frame, "cancelled");
  if (!turn) return;
  frame.patchTurn({ cancelled: true });
  closeAsks(frame, true);
  if (turn.end) closeTurn(frame, turn.end);
  else if (!turn.cancelled) frame.want({ type: "cancel", turn: turn.id });
}

const FINALITY: readonly (Closing | undefined)[] = [undefined, "closed", "shutdown", "deleted"];

/** A stronger reason for closing replaces a weaker one, never the other way round. */
export function onClosing(frame: Frame, reason: Closing): void {
  if (FINALITY.indexOf(reason) > FINALITY.indexOf(frame.state.closing)) frame.patch({ closing: reason });
  if (reason === "deleted") clearQueue(frame, "deleted");
}

/** The agent's process is gone: no signal will come any more, so the turn ends at once. */
export function onExited(frame: Frame, exit: Extract<Signal, { type: "exited" }>): void {
  const { turn, closing } = frame.state;
  if (turn) closeTurn(frame, turn.end ?? endByExit(closing, exit));
  const deletion = closing === "deleted" && !frame.state.deleted;
  if (frame.state.live || deletion) {
    const { agent, directory } = frame.state;
    const reason = closing ?? "agent_exited";
    const { code: exitCode, signal, stderr } = exit;
    // This event is all that stays of a deleted session.
    const left = deletion ? { agent, directory } : {};
    frame.sayOfSession("session.ended", { reason, exitCode, signal, stderr, ...left }, "parley");
  }
  frame.patch({ live: false, background: new Map(), replay: undefined });
  if (deletion) frame.patch({ deleted: true });
  // A session whose agent was closed for being idle may start an agent again.
  if (closing === "closed") frame.patch({ closing: undefined });
}

function endByExit(closing: string | undefined, exit: Extract<Signal, { type: "exited" }>): End {
  if (closing !== undefined) return { reason: "interrupted" };
  const { code: exitCode, signal, stderr } = exit;
  const how = signal ? `was ended by ${signal}` : `exited with code ${exitCode ?? "unknown"}`;
  const tail = stderr.length > 0 ? `; its last words: ${stderr.slice(-3).join(" / ")}` : "";
  const message = `the agent ${how} before the turn was over${tail}`;
  return { reason: "error", error: { code: "agent_exited", message, details: { exitCode, signal, stderr } } };
}

/** Ends a turn because Parley could not do its part, such as starting the agent: as interrupted while the agent is being closed. */
export function onFail(frame: Frame, turn: string, error: Failure): void {
  if (frame.state.turn?.id !== turn) return;
  closeTurn(frame, frame.state.closing === undefined ? { reason: "error", error } : { reason: "interrupted" });
}

/** Closes the turn that a crash of Parley left open. Its agent died, too. */
export function onCrashed(frame: Frame): void {
  if (!frame.state.turn) return;
  closeTurn(frame, frame.state.turn.end ?? { reason: "interrupted" });
  frame.sayOfSession("session.ended", { reason: "crashed" }, "parley");
  frame.patch({ live: false, background: new Map() });
}

/** The reason of a turn's end. A cancel beats the agent's own reason; a turn that ends by a shutdown is interrupted, not cancelled. */
function finalEnd(turn: LedgerTurn, closing: string | undefined, wanted: End): End {
  const { usage, point } = wanted;
  if (turn.cancelled) return present({ reason: "cancelled", usage, point });
  return closing !== undefined && wanted.reason === "cancelled"
    ? present({ reason: "interrupted", usage, point })
    : wanted;
}

/** Ends a turn; no other function does. All that is open in it is closed first, so that nothing of it comes after. */
export function closeTurn(frame: Frame, wanted: End): void {
  const { turn } = frame.state;
  if (!turn) return;
  const end = finalEnd(turn, frame.state.closing, wanted);
  const tell = keepUntold(frame, turn);
  closeAsks(frame, false);
  closeCalls(frame, end.reason === "cancelled");
  closeTexts(frame, end.reason === "end_turn" ? "completed" : "interrupted");
  const error =
    end.reason === "error"
      ? (end.error ?? turn.error ?? { code: "unknown", message: "the agent reported an error without saying which" })
      : undefined;
  // An error that did not end the turn is shown, not lost.
  if (turn.error && !error && end.reason !== "cancelled") {
    sayStatusItem(frame, { level: "error", code: turn.error.code, text: turn.error.message });
  }
  endStep(frame);
  if (error) frame.say("error", error);
  const { usage = frame.state.turn?.usage, reason, point } = end;
  const { files, steps } = frame.state.turn ?? {};
  const { model = frame.state.facts.model, elsewhere } = turn;
  const duration = durationOf(frame, turn);
  const spent = { usage, model, steps, elsewhere };
  frame.say("turn.ended", present({ reason, ...spent, error, files, duration, tell, point }), "parley");
  leave(frame, turn, end.reason === "cancelled");
}

/** The duration of a turn: on the steady clock, or by the wall clock where the turn began in another process. */
function durationOf({ context: { now, steady } }: Frame, { started, begun }: LedgerTurn): number {
  if (steady !== undefined && begun !== undefined) return Math.round(steady - begun);
  return Math.max(0, now - started);
}

/** Remembers the keys of the turn's items and calls, so that late signals about them are recognised. */
function leave(frame: Frame, turn: LedgerTurn, mute: boolean): void {
  const keys = new Map<string, Past>();
  for (const key of frame.state.turn?.done.keys() ?? []) keys.set(key, { turn: turn.id, mute });
  const finished = rememberFinished(frame.state, frame.state.turn?.native);
  frame.patch({ turn: null, past: rememberPast(frame.state, keys), finished });
  frame.want({ type: "ended", turn: turn.id });
}
