import type { SessionState } from "../../src/core/session-state.ts";

/** The groups of the board, the most urgent first. A state that blocks outranks one that was not seen. */
export const NEEDS = ["needs-you", "working", "failed", "unread", "idle"] as const;
export type Need = (typeof NEEDS)[number];

export const NEED_NAMES: Readonly<Record<Need, string>> = {
  "needs-you": "Needs you",
  failed: "Failed",
  working: "Working",
  unread: "Done, unread",
  idle: "Idle",
};

/** A session and the facts beside its state that say which group it is in. */
export interface Known {
  state: SessionState;
  /** Open asks of it and of its sub-agents. */
  asks: number;
  /** When somebody last looked at it here, epoch milliseconds. */
  seen: number;
}

/** The group of a session. */
export function needOf({ state, asks, seen }: Known): Need {
  if (asks > 0) return "needs-you";
  if (state.turn) return "working";
  const unseen = state.updated > seen && state.turns > 0;
  const reason = state.lastEnd?.reason;
  if (unseen && (reason === "error" || reason === "interrupted")) return "failed";
  return unseen ? "unread" : "idle";
}
