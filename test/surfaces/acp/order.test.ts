import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentInfo, ParleyClient, SessionDetail } from "../../../src/client/index.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { Item } from "../../../src/core/events/items.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import { AttachedSession } from "../../../src/surfaces/acp/session/attached.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";

const ROOT = "ses_root";
const CHILD = "ses_child";

/** Events with their numbers, as a session's stream has them. */
function numbered(session: string, events: readonly Partial<ParleyEvent>[]): ParleyEvent[] {
  return events.map(
    (event, at) =>
      ({ session, seq: at + 1, id: `${session}:${at + 1}`, time: 1, source: "agent", ...event }) as ParleyEvent,
  );
}

const begun = (turn: string, prompt: string) =>
  ({ type: "turn.started", turn, data: { by: "user", prompt: { id: prompt } } }) as const;
const ended = (turn: string) => ({ type: "turn.ended", turn, data: { reason: "end_turn" } }) as const;
const said = (turn: string, text: string) => {
  const item: Item = { id: `prt_${text}`, kind: "message", role: "assistant", status: "completed", text };
  return { type: "item.completed", turn, data: { item } } as const;
};
const call = (turn: string, id: string, status: "pending" | "completed", child?: string) => {
  const item: Item = {
    id,
    kind: "tool_call",
    call: id,
    name: "task",
    status,
    ...(child === undefined ? {} : { child }),
  };
  return { type: status === "pending" ? "item.started" : "item.completed", turn, data: { item } } as const;
};

interface Stream {
  events: ParleyEvent[];
  /** The stream gives its events after this. */
  gate: Promise<unknown>;
}

/** A server whose streams give all that they have in one go. */
function serve(streams: Record<string, Stream>): ParleyClient {
  async function* events(id: string, { signal }: { signal?: AbortSignal }) {
    await streams[id]?.gate;
    yield* streams[id]?.events ?? [];
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
  }
  const session = (id: string) => ({
    id,
    events: (options: { signal?: AbortSignal }) => events(id, options),
    async hear(options: { signal?: AbortSignal }, take: (event: ParleyEvent) => Promise<void>) {
      for await (const event of events(id, options)) await take(event);
    },
    get: async () => ({ last: streams[id]?.events.length ?? 0 }),
  });
  return { session } as unknown as ParleyClient;
}

const detail = {
  id: ROOT,
  agent: "scripted",
  directory: "/project",
  last: 0,
  queue: [],
  asks: [],
  turn: null,
  turns: 0,
  usage: {},
} as unknown as SessionDetail;
const info = { name: "scripted", models: [], modes: [], capabilities: {} } as unknown as AgentInfo;

/** Follows the root, and notes what the client is told in order. */
function follow(client: ParleyClient, log: string[]): AttachedSession {
  const front: Front = {
    update: async (_, update) => {
      if (update.type === "text") log.push(update.message);
      if (update.type === "call") log.push(`${update.id} ${update.call.status}`);
      if (update.type === "end") log.push(`end ${update.end.turn}`);
    },
    permission: async () => undefined,
  };
  return new AttachedSession({ client, detail, info, front, logger: silentLogger });
}

test("a response is on its way before the next turn is told, although all events are there at once", async () => {
  const gate = Promise.withResolvers<void>();
  const events: ParleyEvent[] = [];
  const log: string[] = [];
  const session = follow(serve({ [ROOT]: { events, gate: gate.promise } }), log);
  const answers = ["one", "two"].map((text) => {
    const sent = session.sender.send(async () => {});
    events.push(...numbered(ROOT, [begun(text, sent.id), said(text, text), ended(text)]));
    return sent.end.then(async () => {
      // A response passes through some promises of the SDK before it is written.
      for (let step = 0; step < 20; step++) await Promise.resolve();
      log.push(`answer ${text}`);
    });
  });
  events.splice(
    0,
    events.length,
    ...numbered(
      ROOT,
      events.map(({ seq: _, id: __, ...event }) => event as Partial<ParleyEvent>),
    ),
  );
  session.follow();
  gate.resolve();
  await Promise.all(answers);
  session.detach();
  assert.deepEqual(log, ["prt_one", "end one", "answer one", "prt_two", "end two", "answer two"]);
});

test("the end of a turn waits for what its sub-agents did, although their streams are late", async () => {
  const late = Promise.withResolvers<void>();
  const log: string[] = [];
  const child = numbered(CHILD, [
    begun("t2", "x"),
    call("t2", "prt_c", "pending"),
    call("t2", "prt_c", "completed"),
    ended("t2"),
  ]);
  const events: ParleyEvent[] = [];
  const session = follow(
    serve({ [ROOT]: { events, gate: Promise.resolve() }, [CHILD]: { events: child, gate: late.promise } }),
    log,
  );
  const { id, end } = session.sender.send(async () => {});
  events.push(
    ...numbered(ROOT, [
      begun("t1", id),
      call("t1", "prt_p", "pending", CHILD),
      call("t1", "prt_p", "completed", CHILD),
      ended("t1"),
    ]),
  );
  session.follow();
  setImmediate(() => late.resolve());
  assert.equal((await end).reason, "end_turn");
  session.detach();
  assert.deepEqual(log, ["prt_p pending", "prt_p completed", "prt_c pending", "prt_c completed", "end t1"]);
});

test("an event that comes twice is told once", async () => {
  const log: string[] = [];
  const events: ParleyEvent[] = [];
  const session = follow(serve({ [ROOT]: { events, gate: Promise.resolve() } }), log);
  const { id, end } = session.sender.send(async () => {});
  const once = numbered(ROOT, [begun("t1", id), said("t1", "hi"), ended("t1")]);
  events.push(...once.slice(0, 2), ...once);
  session.follow();
  await end;
  session.detach();
  assert.deepEqual(log, ["prt_hi", "end t1"]);
});
