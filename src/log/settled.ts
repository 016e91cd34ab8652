import type { SessionState } from "../core/session-state.ts";

/** Whether a boot has nothing to look after: no open turn, no queued prompt, no open ask. */
export function isSettled(state: SessionState): boolean {
  return state.turn === null && state.queue.length === 0 && state.asks.length === 0;
}
