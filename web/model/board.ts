import type { SessionState } from "../../src/core/session-state.ts";
import { NEED_NAMES, NEEDS, type Need } from "./needs.ts";

/** The ways in which the board is ordered. */
export const ORDERS = ["need", "directory", "agent"] as const;
export type Order = (typeof ORDERS)[number];

/** A session on the board. */
export interface Placed {
  id: string;
  need: Need;
  state: Pick<SessionState, "title" | "directory" | "agent" | "model" | "updated">;
}

export interface Group {
  key: string;
  name: string;
  sessions: Placed[];
}

function rank({ need }: Placed): number {
  return NEEDS.indexOf(need);
}

/** The most urgent first, then those with the newest change. */
function byUrgency(a: Placed, b: Placed): number {
  return rank(a) - rank(b) || b.state.updated - a.state.updated;
}

/** Whether each word of a text is in something that a person sees of the session. */
export function fits({ id, state }: Placed, text: string): boolean {
  const shown = [state.title, state.directory, state.agent, state.model, id].join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** The groups of the board. A group is as urgent as its most urgent session. */
export function groupsOf(sessions: readonly Placed[], order: Order): Group[] {
  const groups = new Map<string, Group>();
  for (const placed of sessions.toSorted(byUrgency)) {
    const key = order === "need" ? placed.need : placed.state[order];
    const name = order === "need" ? NEED_NAMES[placed.need] : key;
    const group = groups.get(key) ?? { key, name, sessions: [] };
    group.sessions.push(placed);
    groups.set(key, group);
  }
  return [...groups.values()];
}
