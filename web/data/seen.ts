import { computed } from "@preact/signals";
import { type Need, needOf } from "../model/needs.ts";
import { asksByRoot } from "./asks.ts";
import { kept } from "./kept.ts";
import { sessionIds, stateOf } from "./sessions.ts";

/** When a person last looked at a session here, by its id. `*` counts for those that are not named. */
type Seen = Readonly<Record<string, number>>;

const MAX_NAMED = 500;

function isSeen(value: unknown): value is Seen {
  return typeof value === "object" && value !== null && Object.values(value).every((time) => typeof time === "number");
}

/** A browser that comes for the first time has seen all that is there, and what comes later is new to it after a reload, too. */
const seen = kept<Seen>("seen", { "*": Date.now() }, isSeen);
seen.set(seen.now.value);

/** Somebody has looked at a session up to this time. */
export function markSeen(session: string, time: number): void {
  const now = seen.now.value;
  if ((now[session] ?? now["*"] ?? 0) >= time) return;
  const named = Object.entries({ ...now, [session]: time }).filter(([id]) => id !== "*");
  const newest = named.sort(([, a], [, b]) => b - a).slice(0, MAX_NAMED);
  seen.set({ "*": now["*"] ?? 0, ...Object.fromEntries(newest) });
}

/** It counts as unread from now on. */
export function markUnread(session: string): void {
  seen.set({ ...seen.now.value, [session]: 1 });
}

export function seenAt(session: string): number {
  const now = seen.now.value;
  return now[session] ?? now["*"] ?? 0;
}

/** The groups of the board, each with its sessions, those with the newest change first. Sub-agents are within their roots. */
export const board = computed(() => {
  const groups: Record<Need, string[]> = { "needs-you": [], working: [], failed: [], unread: [], idle: [] };
  const updated = new Map<string, number>();
  for (const id of sessionIds.value) {
    const state = stateOf(id)?.value;
    if (!state || state.parent !== undefined) continue;
    updated.set(id, state.updated);
    groups[needOf({ state, asks: asksByRoot.value.get(id) ?? 0, seen: seenAt(id) })].push(id);
  }
  const newest = (a: string, b: string): number => (updated.get(b) ?? 0) - (updated.get(a) ?? 0);
  for (const group of Object.values(groups)) group.sort(newest);
  return groups;
});
