import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Ask, AskingSession } from "../../src/client/index.ts";
import type { EventOf, ParleyEvent } from "../../src/core/events/event.ts";
import { present } from "../../src/core/json/fields.ts";
import { api } from "./api.ts";

/** The end of an ask, as the log has it. */
export interface Resolution {
  outcome: string;
  /** A client, `rule`, `policy`, `deadline`, `agent` or `turn`. */
  by: string;
  feedback?: string;
}

/** An ask in this page. One that was answered stays for a moment, so that a person sees why it goes. */
export interface ShownAsk {
  ask: Ask & { about?: AskingSession };
  root: string;
  resolution?: Resolution;
}

const GOES_AFTER_MS = 6_000;

const shown = signal<ReadonlyMap<string, ShownAsk>>(new Map());

/** Open asks of all sessions, oldest first, with those that were answered a moment ago. */
export const shownAsks: ReadonlySignal<readonly ShownAsk[]> = computed(() =>
  [...shown.value.values()].sort((a, b) => a.ask.time - b.ask.time),
);

/** Those that wait for somebody. */
export const openAsks: ReadonlySignal<readonly ShownAsk[]> = computed(() =>
  shownAsks.value.filter(({ resolution }) => resolution === undefined),
);

/** How many asks wait, by the id of the topmost session. */
export const asksByRoot: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => {
  const counts = new Map<string, number>();
  for (const { root } of openAsks.value) counts.set(root, (counts.get(root) ?? 0) + 1);
  return counts;
});

function change(edit: (asks: Map<string, ShownAsk>) => void): void {
  const next = new Map(shown.value);
  edit(next);
  shown.value = next;
}

/** Asks whose answer is on its way. */
const sending = signal<ReadonlySet<string>>(new Set());

export function isSending(ask: string): boolean {
  return sending.value.has(ask);
}

/** Marks an ask while its answer is on its way, until its end is heard. */
export function markSending(ask: string, on: boolean): void {
  if (on === isSending(ask)) return;
  const next = new Set(sending.value);
  if (on) next.add(ask);
  else next.delete(ask);
  sending.value = next;
}

/** Reads the open asks anew. */
export async function loadAsks(): Promise<void> {
  const asks = await api.asks();
  shown.value = new Map(asks.map((ask) => [ask.id, { ask, root: ask.about.root ?? ask.session }]));
}

function opened(event: EventOf<"permission.requested"> | EventOf<"question.requested">): void {
  const { data, session, turn, time, root = session } = event;
  // Nobody is asked where a rule answers at once.
  if (data.settledBy !== undefined || shown.value.has(data.ask)) return;
  const kind = event.type === "permission.requested" ? "permission" : "question";
  const ask = { ...present({ id: data.ask, turn, time }), kind, session, request: data } as Ask;
  change((asks) => asks.set(data.ask, { ask, root }));
}

function resolved({ data }: EventOf<"permission.resolved"> | EventOf<"question.resolved">): void {
  const known = shown.value.get(data.ask);
  markSending(data.ask, false);
  if (!known || known.resolution) return;
  const { outcome, by, feedback } = data;
  change((asks) => asks.set(data.ask, { ...known, resolution: present({ outcome, by, feedback }) }));
  setTimeout(() => change((asks) => asks.delete(data.ask)), GOES_AFTER_MS);
}

/** Takes an event of the stream of all sessions. */
export function takeForAsks(event: ParleyEvent): void {
  switch (event.type) {
    case "permission.requested":
    case "question.requested":
      return opened(event);
    case "permission.resolved":
    case "question.resolved":
      return resolved(event);
    case "session.ended":
      if (
        event.data.reason !== "deleted" ||
        ![...shown.value.values()].some(({ ask }) => ask.session === event.session)
      )
        return;
      return change((asks) => {
        for (const [id, { ask }] of asks) if (ask.session === event.session) asks.delete(id);
      });
    default:
  }
}
