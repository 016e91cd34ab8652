import type { ParleyEvent } from "../../../core/events/event.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";

/**
 * A session's newest state made ready to take in once more the events of its last turn or turns: they open their turns and
 * asks again, and change no sums. Its queue has only the prompts that waited before those events.
 */
export function rewound(state: SessionState): SessionState {
  return { ...state, turn: null, asks: [] };
}

/** The state after an event that it knows of already. */
export function reduceAgain(state: SessionState, event: ParleyEvent): SessionState {
  const { usage, turns, files } = state;
  return { ...reduceSession(state, event), usage, turns, ...(files ? { files } : {}) };
}
