import type { ParleyClient, SessionDetail, StreamEvent } from "../../../src/client/index.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { ItemStatus, ToolCallItem } from "../../../src/core/events/items.ts";
import { activity, reduceSession, type SessionState } from "../../../src/core/session-state.ts";

/** An event as a test writes it. */
export type Said = { type: ParleyEvent["type"]; turn?: string; data: unknown };

export const begun = (turn: string, prompt?: string): Said => ({
  type: "turn.started",
  turn,
  data: { by: "user", ...(prompt === undefined ? {} : { prompt: { id: prompt } }) },
});
export const ended = (turn: string): Said => ({ type: "turn.ended", turn, data: { reason: "end_turn" } });
export const call = (turn: string, id: string, status: ItemStatus, more: Partial<ToolCallItem> = {}): Said => ({
  type: status === "pending" ? "item.started" : "item.completed",
  turn,
  data: { item: { id, kind: "tool_call", call: id, name: "task", status, ...more } },
});
export const said = (turn: string, text: string): Said => ({
  type: "item.completed",
  turn,
  data: { item: { id: `prt_${text}`, kind: "message", role: "assistant", status: "completed", text } },
});
const options = [
  { id: "o", kind: "once" },
  { id: "r", kind: "reject" },
];
export const asked = (turn: string, ask: string, of?: string): Said => ({
  type: "permission.requested",
  turn,
  data: { ask, action: "bash", patterns: ["rm"], options, ...(of === undefined ? {} : { call: of }) },
});
export const answered = (turn: string, ask: string): Said => ({
  type: "permission.resolved",
  turn,
  data: { ask, outcome: "once", by: "client", action: "bash", patterns: [] },
});

interface Stored {
  parent: string | undefined;
  events: ParleyEvent[];
  state: SessionState;
  /** The first number that is kept, and the state before it. */
  kept: { first: number; base?: SessionState };
}

/** The log of a server, in memory: its streams give each event at once. */
export class LogClient {
  readonly #sessions = new Map<string, Stored>();
  readonly #wake = new Set<() => void>();

  begin(id: string, parent?: string): this {
    const data = { agent: "scripted", directory: "/project" };
    const event = this.#event(id, 1, { type: "session.started", data }, parent);
    this.#sessions.set(id, { parent, events: [event], state: reduceSession(undefined, event), kept: { first: 1 } });
    return this;
  }

  say(id: string, ...events: Said[]): this {
    const session = this.#of(id);
    for (const said of events) {
      const event = this.#event(id, session.events.length + 1, said, session.parent);
      session.events.push(event);
      session.state = reduceSession(session.state, event);
    }
    for (const wake of this.#wake) wake();
    return this;
  }

  /** Drops all events of a session up to now. */
  prune(id: string): this {
    const session = this.#of(id);
    session.kept = { first: session.events.length + 1, base: session.state };
    return this;
  }

  /** The ids of the open asks of all sessions. */
  openAsks(): string[] {
    return [...this.#sessions.values()].flatMap(({ state }) => state.asks.map(({ id }) => id)).sort();
  }

  client(): ParleyClient {
    const session = (id: string) => ({
      id,
      events: (query: { after?: number; follow?: boolean; signal?: AbortSignal }) => this.#stream(id, query),
      hear: async (query: object, take: (event: StreamEvent) => Promise<void>) => {
        for await (const event of this.#stream(id, query)) await take(event);
      },
      asks: async () => this.#asks(),
      answer: async () => ({}),
      cancel: async () => ({ cancelled: true }),
      get: async () => this.#detail(id),
    });
    const list = async ({ parent }: { parent?: string }) => ({
      sessions: [...this.#sessions].filter(([, one]) => one.parent === parent).map(([id]) => this.#detail(id)),
      next: null,
    });
    const agent = async () => ({ name: "scripted", models: [], modes: [], capabilities: {} });
    const sessions = { get: async (id: string) => this.#detail(id), list };
    return { session, sessions, agent } as unknown as ParleyClient;
  }

  #of(id: string): Stored {
    const session = this.#sessions.get(id);
    if (!session) throw new Error(`no session ${id}`);
    return session;
  }

  #event(session: string, seq: number, said: Said, parent: string | undefined): ParleyEvent {
    const facts = { id: `${session}:${seq}`, seq, session, time: seq, source: "agent", ...(parent && { parent }) };
    return { ...facts, ...said } as unknown as ParleyEvent;
  }

  #detail(id: string): SessionDetail {
    const { state, kept, events } = this.#of(id);
    return { ...state, status: activity(state), first: kept.first, last: events.length };
  }

  #asks() {
    return [...this.#sessions].flatMap(([session, { state }]) => state.asks.map((ask) => ({ ...ask, session })));
  }

  async *#stream(
    id: string,
    { after = 0, follow = true, signal }: { after?: number; follow?: boolean; signal?: AbortSignal },
  ): AsyncGenerator<StreamEvent> {
    const session = this.#of(id);
    const { events } = session;
    let last = after;
    while (!signal?.aborted) {
      const { first } = session.kept;
      if (last < first - 1) yield this.#gap(id, last);
      last = Math.max(last, first - 1);
      for (; last < events.length && !signal?.aborted; last++) yield events[last] as ParleyEvent;
      if (!follow || signal?.aborted) return;
      await this.#news(signal);
    }
  }

  #gap(session: string, after: number): StreamEvent {
    const { first, base } = this.#of(session).kept;
    const snapshot = { ...(base as SessionState), status: activity(base as SessionState) };
    return { type: "gap", id: `${session}:${first - 1}`, seq: first - 1, session, data: { after, first, snapshot } };
  }

  async #news(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake.add(resolve);
    signal?.addEventListener("abort", () => resolve());
    await promise;
    this.#wake.delete(resolve);
  }
}
