import { ParleyApiError, type Session } from "../../../client/index.ts";
import type { OpenTurn } from "../../../core/session-state.ts";
import type { TurnEnd } from "../translate/updates.ts";

/** Whether a request failed because the session was deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof ParleyApiError && error.code === "session_not_found";
}

/** How a prompt ended whose events are no longer kept; undefined while it still waits or runs. */
export function endInGap(snapshot: Session, prompt: string): TurnEnd | undefined {
  const { turn, queue, lastPrompt, lastEnd } = snapshot;
  if (turn?.prompt === prompt || queue.some((waiting) => waiting.id === prompt)) return undefined;
  if (lastPrompt === prompt && lastEnd && !turn) {
    return { prompt, turn: lastEnd.turn, reason: lastEnd.reason };
  }
  return { prompt, reason: "lost" };
}

/** How a turn ended whose end is no longer kept. */
export function turnInGap({ lastEnd }: Session, { id, prompt }: OpenTurn): TurnEnd {
  const reason = lastEnd?.turn === id ? lastEnd.reason : "lost";
  return { turn: id, reason, ...(prompt === undefined ? {} : { prompt }) };
}
