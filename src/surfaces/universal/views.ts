import { type Activity, activity, type SessionState } from "../../core/session-state.ts";
import type { SessionHead } from "../../log/contract.ts";

export type SessionView = SessionState & { status: Activity };

export function sessionView(state: SessionState): SessionView {
  return { ...state, status: activity(state) };
}

export function detailView({ state, last, first }: SessionHead): SessionView & { last: number; first: number } {
  return { ...sessionView(state), last, first };
}
