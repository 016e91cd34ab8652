import type { PromptPart } from "../events/values.ts";
import { closeTurn } from "./finish.ts";
import type { Frame } from "./frame.ts";
import { sayPastPrompt } from "./prompts.ts";
import type { Signal } from "./signals.ts";
import type { LedgerState } from "./state.ts";

/** They speak of the session as it is now, in a replay, too. */
const PRESENT: ReadonlySet<Signal["type"]> = new Set([
  "session",
  "limits",
  "unparsed",
  "exited",
  "replay.begun",
  "replay.prompt",
  "replay.ended",
]);

/** Nothing of the past is still to be answered, and its turns begin with their prompts. */
const NEVER_PAST: ReadonlySet<Signal["type"]> = new Set([
  "permission",
  "intent",
  "question",
  "ask.withdrawn",
  "status",
  "turn.begun",
]);

/** Whether a signal counts. The past that an agent tells once more counts only for a session that has none in the log. */
export function isHeard({ replay }: LedgerState, { type }: Signal): boolean {
  if (replay === undefined || PRESENT.has(type)) return true;
  return replay === "take" && !NEVER_PAST.has(type);
}

export function onReplayBegun(frame: Frame): void {
  const { begun, queue } = frame.state;
  if (frame.state.replay === undefined) frame.patch({ replay: begun || queue.length > 0 ? "skip" : "take" });
}

/** A prompt of the past begins a turn, and ends the one before it. */
export function onReplayPrompt(frame: Frame, parts: PromptPart[]): void {
  if (frame.state.replay !== "take") return;
  endPastTurn(frame);
  sayPastPrompt(frame, parts);
}

export function onReplayEnded(frame: Frame): void {
  if (frame.state.replay === "take") endPastTurn(frame);
  frame.patch({ replay: undefined });
}

function endPastTurn(frame: Frame): void {
  const { turn } = frame.state;
  if (turn) closeTurn(frame, turn.end ?? { reason: "end_turn" });
}
