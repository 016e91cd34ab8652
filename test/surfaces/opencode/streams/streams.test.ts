import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpencodeEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import { foldedEvents } from "../../../support/laws.ts";
import { startServer } from "../../../support/server.ts";
import { openStream } from "../../../support/sse.ts";
import { Listener } from "../listener.ts";

const PROMPT = "[[reasoning]] [[tools 2]]";

/** A client that has heard the first so many events of another one. */
function listenerAt(url: string, other: Listener, count: number): Listener {
  const listener = new Listener(url);
  for (const { event, id } of other.log.slice(0, count)) {
    listener.mirror.take(event);
    listener.lastId = id || listener.lastId;
  }
  return listener;
}

function ofSession(id: string) {
  return ({ properties }: OpencodeEvent): boolean => properties.sessionID === id;
}

for (const path of ["/event", "/global/event"]) {
  test(`${path}: D6 a client that comes back with its last id hears the rest, wherever it was cut`, async (t) => {
    const { api } = await startServer(t);
    const { id } = await api.create();
    const url = `${api.url}${path}`;
    const whole = new Listener(url);
    await whole.connect();
    await api.ask(id, PROMPT);
    await whole.idle(id);
    await whole.leave();
    assert.ok(whole.log.length > 20, `only ${whole.log.length} events were heard`);
    for (const folded of [false, true]) {
      if (folded) await foldedEvents(api, id);
      for (let count = 2; count < whole.log.length; count++) {
        const again = listenerAt(url, whole, count);
        if (again.lastId === undefined) continue;
        await again.connect({ resume: true });
        await again.idle(id);
        await again.leave();
        assert.deepEqual(again.mirror.transcript(id), whole.mirror.transcript(id), `cut after ${count} events`);
        assert.deepEqual(again.mirror.faults, []);
        assert.equal(again.mirror.status.get(id), "idle");
      }
    }
  });

  test(`${path}: the replay is the very events that were missed, while none of them is folded`, async (t) => {
    const { api } = await startServer(t);
    const { id } = await api.create();
    const url = `${api.url}${path}`;
    const whole = new Listener(url);
    await whole.connect();
    await api.prompt(id, "[[reasoning]] [[ask ls]]");
    await whole.until((event) => event.type === "permission.asked", "the ask");
    const told = whole.log.filter(({ id: cursor }) => cursor).slice(1);
    for (let count = 1; count < told.length; count++) {
      const again = listenerAt(url, whole, 0);
      again.lastId = told[count - 1]?.id;
      await again.connect({ resume: true });
      await again.until((event) => event.type === "permission.asked", "the ask again");
      await again.leave();
      assert.deepEqual(again.log.slice(1), told.slice(count), `after ${told[count - 1]?.id}`);
    }
    await api.cancel(id);
    await whole.idle(id);
    await whole.leave();
  });
}

test("D6 /global/event: a client without a cursor is right again after a snapshot, wherever it was cut", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const url = `${api.url}/global/event`;
  const whole = new Listener(url);
  await whole.connect();
  await api.ask(id, PROMPT);
  await whole.idle(id);
  await whole.leave();
  for (let count = 0; count < whole.log.length; count++) {
    const again = listenerAt(url, whole, count);
    await again.connect();
    await again.until((event) => event.type === "session.status" && ofSession(id)(event), "the snapshot");
    await again.leave();
    assert.deepEqual(again.mirror.transcript(id), whole.mirror.transcript(id), `cut after ${count} events`);
    assert.deepEqual(again.mirror.faults, []);
    assert.equal(again.mirror.status.get(id), "idle");
    assert.equal(again.log.filter(({ event }) => event.type === "session.idle").length, 0, "a snapshot rings no bell");
  }
});

test("a snapshot in the middle of an answer, and what follows, are the whole answer", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  for (const path of ["/event", "/global/event"]) {
    const first = new Listener(`${api.url}${path}`);
    await first.connect();
    await api.prompt(id, "[[reasoning]] [[ask ls]]");
    await first.until((event) => event.type === "permission.asked", "the ask");
    const late = new Listener(`${api.url}${path}`);
    await late.connect();
    const asked = await late.until((event) => event.type === "permission.asked", "the ask in the snapshot");
    await late.until((event) => event.type === "session.status", "the end of the snapshot");
    assert.equal(late.mirror.status.get(id), "busy");
    await api.expect(200, "POST", `/v1/sessions/${id}/asks/${asked.properties.id}`, { outcome: "once" });
    await Promise.all([first.idle(id), late.idle(id)]);
    const turn = late.mirror.transcript(id);
    assert.deepEqual(turn, first.mirror.transcript(id).slice(-turn.length));
    assert.equal(late.mirror.asks.size, 0);
    assert.deepEqual([...first.mirror.faults, ...late.mirror.faults], []);
    await first.leave();
    await late.leave();
  }
});

for (const turns of [0, 10])
  test(`an ask that was answered while a client was away is no longer asked there, ${turns} turns later`, async (t) => {
    const { api } = await startServer(t);
    const { id } = await api.create();
    const listener = new Listener(`${api.url}/global/event`);
    await listener.connect();
    await api.prompt(id, "[[ask ls]]");
    const asked = await listener.until((event) => event.type === "permission.asked", "the ask");
    await listener.leave();
    await api.expect(200, "POST", `/v1/sessions/${id}/asks/${asked.properties.id}`, { outcome: "reject" });
    for (let turn = 0; turn < turns; turn++) await api.ask(id, "hello");
    await listener.connect();
    await listener.until((event) => event.type === "session.status" && ofSession(id)(event), "the snapshot");
    // The answer may become visible in the order of all sessions only after the snapshot.
    if (listener.mirror.asks.size > 0)
      await listener.until((event) => event.type === "permission.replied", "the answer");
    assert.equal(listener.mirror.asks.size, 0);
    await listener.leave();
  });

test("/event tells of no idle session: programs take one for the end of their prompt", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "hello");
  const listener = new Listener(`${api.url}/event`);
  await listener.connect();
  await api.prompt(id, "hello again");
  const first = await listener.until(ofSession(id), "the next turn");
  assert.notDeepEqual(first.properties.status, { type: "idle" });
  await listener.idle(id);
  assert.equal(listener.log.filter(({ event }) => event.type === "session.idle").length, 1);
  await listener.leave();
});

test("after a restart a client learns that the turn it saw is over", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  const listener = new Listener(`${server.api.url}/global/event`);
  await listener.connect();
  await server.api.prompt(id, "[[reasoning]] [[ask ls]]");
  await listener.until((event) => event.type === "permission.asked", "the ask");
  await listener.leave();
  await server.restart();
  listener.url = `${server.api.url}/global/event`;
  await listener.connect();
  await listener.until((event) => event.type === "session.status" && ofSession(id)(event), "the snapshot");
  assert.equal(listener.mirror.status.get(id), "idle");
  assert.equal(listener.mirror.asks.size, 0);
  const last = listener.mirror.transcript(id).at(-1);
  assert.ok(last?.info.role === "assistant" && last.info.time.completed !== undefined, "the message is over, too");
  await listener.leave();
});

test("B4 events of other directories are not in /event; /global/event says where each happened", async (t) => {
  const { api, directory } = await startServer(t);
  const here = await api.create();
  const there = await api.create({ directory: "/" });
  const scoped = new Listener(`${api.url}/event?directory=${encodeURIComponent("/")}`);
  const header = await openStream(`${api.url}/event`, { "x-opencode-directory": encodeURIComponent("/") });
  const all = await openStream(`${api.url}/global/event`);
  await scoped.connect();
  await api.ask(here.id, "one");
  await api.ask(there.id, "two");
  await scoped.idle(there.id);
  assert.ok(scoped.heard.filter(({ properties }) => properties.sessionID === here.id).length === 0);
  const isIdle = (data: unknown): boolean => (data as OpencodeEvent).type === "session.idle";
  const idle = await header.event((data) => isIdle(data), "idle by header");
  assert.equal((idle as unknown as OpencodeEvent).properties.sessionID, there.id);
  const places = new Set<string | undefined>();
  await all.when(({ events }) => {
    for (const data of events as unknown[]) {
      const { directory: place, payload } = data as { directory?: string; payload: OpencodeEvent };
      if (payload.type === "session.idle") places.add(place);
    }
    return places.size === 2;
  }, "both to be idle");
  assert.deepEqual(places, new Set([directory, "/"]));
  await scoped.leave();
  await header.close();
  await all.close();
});

test("the older dialect has the whole part beside each delta", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const listener = new Listener(`${api.url}/event?dialect=1.1`);
  await listener.connect();
  await api.ask(id, "hello there");
  await listener.idle(id);
  const types = new Set(listener.heard.map(({ type }) => type));
  assert.ok(!types.has("message.part.delta"));
  const streamed = listener.heard.filter(({ properties }) => typeof properties.delta === "string");
  assert.ok(streamed.length > 0);
  for (const { properties } of streamed) {
    const { text } = properties.part as { text: string };
    assert.ok(text.endsWith(String(properties.delta)));
  }
  await listener.leave();
});

test("A5 A6 busy once and idle once, and nothing of the turn after, on every way a turn can end", async (t) => {
  const { api } = await startServer(t);
  for (const prompt of ["hello", "[[tools 3]]", "[[error]]", "[[die 3]]", "[[ask ls]]"]) {
    const { id } = await api.create();
    const listener = new Listener(`${api.url}/event`);
    await listener.connect();
    await api.prompt(id, prompt);
    if (prompt === "[[ask ls]]") {
      await listener.until((event) => event.type === "permission.asked", "the ask");
      await api.cancel(id);
    }
    await listener.idle(id);
    await api.ask(id, "the next turn");
    await listener.idle(id);
    const told = listener.heard.filter(ofSession(id));
    const firstIdle = told.findIndex(({ type }) => type === "session.idle");
    const turn = told.slice(0, firstIdle + 1);
    const statuses = turn
      .filter(({ type }) => type === "session.status")
      .map(({ properties }) => (properties.status as { type: string }).type);
    assert.deepEqual(statuses, ["busy", "idle"], prompt);
    const messages = new Set(
      turn
        .filter(({ type }) => type === "message.updated")
        .map(({ properties }) => (properties.info as { id: string }).id),
    );
    for (const { type, properties } of told.slice(firstIdle + 1)) {
      const info = properties.info as { id: string } | undefined;
      const part = properties.part as { messageID: string } | undefined;
      assert.ok(!messages.has(part?.messageID ?? info?.id ?? ""), `${type} of the turn came after its end: ${prompt}`);
    }
    await listener.leave();
  }
});
