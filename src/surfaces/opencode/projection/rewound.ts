import type { ParleyEvent } from "../../../core/events/event.ts";
import { reduceSession, type SessionState } from "../../../core/session-state.ts";

/**
 * A session's newest state made ready to take in once more the events of its last turn or turns: what they open, opens
 * again; what they add up is there already.
 */
export function rewound(state: SessionState): SessionState {
  return { ...state, turn: null, asks: [] };
}

/** The state after an event that it knows of already. */
export function reduceAgain(state: SessionState, event: ParleyEvent): SessionState {
  const { usage, turns, files } = state;
  if (event.type === "prompt.queued" && state.queue.some(({ id }) => id === event.data.prompt.id))
    return { ...state, updated: event.time };
  return { ...reduceSession(state, event), usage, turns, ...(files ? { files } : {}) };
}
