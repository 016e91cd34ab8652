import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Session } from "../../src/client/index.ts";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { changesState, reduceSession, type SessionState } from "../../src/core/session-state.ts";
import { api } from "./api.ts";

/** A session in this page. */
interface Entry {
  state: Signal<SessionState>;
  /** The number of the newest event in the state; unknown for one that came in a list. */
  last: number | undefined;
  /** Events that wait until the number is known. */
  waiting: ParleyEvent[] | undefined;
}

const PAGE = 200;
/** The board shows so many; older ones are found by search and by their address. */
const MAX_LISTED = 2_000;

const entries = new Map<string, Entry>();
const ids = signal<readonly string[]>([]);

/** The ids of all sessions that the page knows, newest first; it changes when one comes or goes. */
export const sessionIds: ReadonlySignal<readonly string[]> = ids;

/** A session's state, where the page knows it. Reading `value` follows it. */
export function stateOf(id: string): ReadonlySignal<SessionState> | undefined {
  return entries.get(id)?.state;
}

function put(state: SessionState, last: number | undefined): Entry {
  const known = entries.get(state.id);
  if (known) {
    // The answer of a list may overtake that of a session.
    if (known.last === undefined && known.state.value.updated > state.updated) return known;
    known.state.value = state;
    known.last = last;
    return known;
  }
  const entry: Entry = { state: signal(state), last, waiting: undefined };
  entries.set(state.id, entry);
  // Ids of sessions sort newest first.
  ids.value = [...ids.value, state.id].sort();
  return entry;
}

function drop(id: string): void {
  if (entries.delete(id)) ids.value = ids.value.filter((one) => one !== id);
}

/** Reads the sessions anew. What is known of others goes. */
export async function loadSessions(): Promise<void> {
  const states: Session[] = [];
  let after: string | undefined;
  do {
    const page = await api.sessions.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    states.push(...page.sessions);
    after = page.next ?? undefined;
  } while (after !== undefined && states.length < MAX_LISTED);
  batch(() => {
    entries.clear();
    for (const state of states) entries.set(state.id, { state: signal(state), last: undefined, waiting: undefined });
    ids.value = [...entries.keys()].sort();
  });
}

/** A session that the page does not know yet, or knows only from a list: asked for by its id. Rejects where there is none. */
export async function loadSession(id: string): Promise<ReadonlySignal<SessionState>> {
  const known = entries.get(id);
  if (known?.last !== undefined) return known.state;
  const { first: _, last, ...state } = await api.sessions.get(id);
  const entry = put(state, last);
  if (entry.last === undefined) return loadSession(id);
  const { waiting = [] } = entry;
  entry.waiting = undefined;
  for (const event of waiting) apply(entry, event);
  return entry.state;
}

function apply(entry: Entry, event: ParleyEvent): void {
  if (entry.last === undefined || event.seq <= entry.last) return;
  entry.last = event.seq;
  if (changesState(event.type)) entry.state.value = reduceSession(entry.state.value, event);
}

/** Takes an event of the stream of all sessions. */
export function takeForSessions(event: ParleyEvent): void {
  const { session, type } = event;
  if (type === "session.ended" && event.data.reason === "deleted") return drop(session);
  const entry = entries.get(session);
  if (!entry) {
    if (type === "session.started" && event.seq === 1) put(reduceSession(undefined, event), 1);
    // One that is not listed, such as an old one or a sub-agent's: it is asked for when something happens in it.
    else if (changesState(type)) void loadSession(session).catch(() => {});
    return;
  }
  if (entry.last !== undefined) return apply(entry, event);
  if (!changesState(type)) return;
  if (entry.waiting) return void entry.waiting.push(event);
  entry.waiting = [event];
  loadSession(session).catch(() => {
    entry.waiting = undefined;
  });
}
