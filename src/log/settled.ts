import { beginsTurn, type SessionState } from "../core/session-state.ts";

/** Whether a boot has nothing to look after: no open turn, no prompt that waits for its turn, no open ask. */
export function isSettled(state: SessionState): boolean {
  return state.turn === null && !state.queue.some(beginsTurn) && state.asks.length === 0;
}
