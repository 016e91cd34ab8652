import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { parseStreamCursor } from "../../src/surfaces/opencode/streams/cursor.ts";
import { lawfulEvents } from "../support/laws.ts";
import { agent, startServer } from "../support/server.ts";
import { Listener } from "../surfaces/opencode/listener.ts";

// A heavy event is written, stored and told in turns of the event loop: what happens between them must not change its place.

const MEGABYTES = 8;
const agents = Object.fromEntries(["within", "after", "hangs"].map((how) => [how, agent("heavy-end", how, MEGABYTES)]));
const isHeavy = (event: ParleyEvent): boolean => JSON.stringify(event).length > 1_000_000;

test("an agent that dies right after a heavy line has said it, and one that dies within has not", async (t) => {
  const { api } = await startServer(t, { agents });
  for (const [how, heavy] of [
    ["after", true],
    ["within", false],
  ] as const) {
    const { id } = await api.create({ agent: how });
    const stream = await api.stream(id);
    await api.prompt(id, "go");
    const ended = await stream.first("turn.ended");
    assert.equal(ended.data.reason, "error");
    const events = await lawfulEvents(api, id);
    const end = events.findIndex(({ type }) => type === "turn.ended");
    assert.equal(events.slice(0, end).some(isHeavy), heavy, how);
    assert.ok(!events.slice(end).some(isHeavy), how);
    await stream.close();
  }
});

test("a turn is cancelled at any time within a heavy line, and the next one works", async (t) => {
  const { api } = await startServer(t, { agents });
  for (const turns of [0, 50, 400]) {
    const { id } = await api.create({ agent: "hangs" });
    const stream = await api.stream(id);
    await api.prompt(id, "go");
    await stream.first("turn.started");
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    assert.equal((await api.cancel(id)).cancelled, true);
    assert.equal((await stream.first("turn.ended")).data.reason, "cancelled");
    // It waits where the line came after its turn's end and began a turn of the agent's own, which the agent ends next.
    const { prompt } = await api.prompt(id, "again");
    const begun = (event: ParleyEvent): boolean => event.type === "turn.started" && event.data.prompt?.id === prompt;
    const { turn } = await stream.event(begun, "the second turn");
    await stream.event((event) => event.type === "item.started" && event.turn === turn && isHeavy(event), "the call");
    await api.cancel(id);
    await stream.event((event) => event.type === "turn.ended" && event.turn === turn, "the second end");
    await lawfulEvents(api, id);
    await stream.close();
  }
});

test("a server that stops at any time within a heavy line leaves lawful sessions", async (t) => {
  for (const turns of [0, 100, 300, 600]) {
    const { api, stop } = await startServer(t, { agents });
    const { id } = await api.create({ agent: "hangs" });
    const stream = await api.stream(id);
    await api.prompt(id, "go");
    await stream.first("turn.started");
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    await stop();
  }
});

test("clients of OpenCode that join while a heavy event is told get everything once, in order", async (t) => {
  const heavy = agent("bulk", "texts", MEGABYTES);
  const { api } = await startServer(t, { agents: { heavy } });
  const first = new Listener(`${api.url}/global/event`);
  await first.connect();
  const { id } = await api.create({ agent: "heavy" });
  await api.prompt(id, "go");
  let over = false;
  const idle = first.idle(id).then(() => {
    over = true;
  });
  const others: Listener[] = [];
  while (!over && others.length < 12) {
    const other = new Listener(`${api.url}/global/event`);
    await other.connect();
    others.push(other);
  }
  await idle;
  const last = await api.create();
  await api.ask(last.id, "hello");
  for (const listener of [first, ...others]) {
    await listener.idle(last.id);
    const places = listener.log.flatMap(({ id: cursor }) => parseStreamCursor(cursor) ?? []);
    const order = places.map(({ position, index }) => position * 1e7 + index);
    const sorted = [...new Set(order)].toSorted((one, two) => one - two);
    assert.deepEqual(order, sorted);
    const calls = listener.heard.filter((event) => JSON.stringify(event).length > 1_000_000);
    assert.ok(calls.length > 0, "no call was heard of");
    await listener.leave();
  }
  await lawfulEvents(api, id);
});
