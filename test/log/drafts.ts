import type { Draft, ParleyEvent } from "../../src/core/events/event.ts";
import type { Entry, EventRecord, Log } from "../../src/log/contract.ts";

/** Events as the ledger would make them, with only what the log looks at. */
export const drafts = {
  started: (directory = "/project"): Draft => ({
    type: "session.started",
    time: 1,
    source: "parley",
    data: { agent: "scripted", directory, version: 1 },
  }),
  updated: (title: string): Draft => ({ type: "session.updated", time: 2, source: "agent", data: { title } }),
  ended: (reason: "deleted" | "closed"): Draft => ({
    type: "session.ended",
    time: 9,
    source: "parley",
    data: { reason },
  }),
  queued: (prompt: string): Draft => ({
    type: "prompt.queued",
    time: 2,
    source: "parley",
    data: { prompt: { id: prompt, parts: [{ type: "text", text: "hello" }] }, position: 1 },
  }),
  turnStarted: (turn: string, prompt?: string): Draft => ({
    type: "turn.started",
    turn,
    time: 3,
    source: "parley",
    data: { by: "user", ...(prompt !== undefined && { prompt: { id: prompt } }) },
  }),
  turnEnded: (turn: string): Draft => ({
    type: "turn.ended",
    turn,
    time: 8,
    source: "agent",
    data: { reason: "end_turn", usage: { tokens: { input: 1, output: 2 } } },
  }),
  delta: (item: string, delta: string): Draft => ({
    type: "item.delta",
    time: 4,
    source: "agent",
    data: { item, field: "text", delta },
  }),
  completed: (item: string, text: string): Draft => ({
    type: "item.completed",
    time: 5,
    source: "agent",
    data: { item: { id: item, kind: "message", role: "assistant", status: "completed", text } },
  }),
  asked: (ask: string): Draft => ({
    type: "permission.requested",
    time: 6,
    source: "agent",
    data: { ask, action: "bash", patterns: ["ls"], options: [] },
  }),
  answered: (ask: string): Draft => ({
    type: "permission.resolved",
    time: 7,
    source: "parley",
    data: { ask, outcome: "always", by: "test", action: "bash", patterns: ["ls"] },
  }),
};

export const entries = (...list: Draft[]): Entry[] => list.map((draft) => ({ draft }));

export const parsed = (records: readonly EventRecord[]): ParleyEvent[] =>
  records.map((record) => JSON.parse(record.json) as ParleyEvent);

export const numbers = (records: readonly EventRecord[]): number[] => records.map((record) => record.seq);

/** All that is kept of a session. */
export function readWhole(log: Log, session: string): Promise<EventRecord[]> {
  return log.read(session, { after: 0, limit: 1_000_000 });
}
