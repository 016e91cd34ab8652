import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { silentLogger } from "../../../src/core/logger.ts";
import { createMetrics } from "../../../src/core/metrics.ts";
import type { CommandHost } from "../../../src/host/contract.ts";
import type { Terminals } from "../../../src/host/terminals/contract.ts";
import { SseClients } from "../../../src/surfaces/stream/sse-clients.ts";
import { createUniversal } from "../../../src/surfaces/universal/app.ts";
import { assertNoGap, foldedEvents, lawfulEvents } from "../../support/laws.ts";
import { startServer } from "../../support/server.ts";
import { openStream } from "../../support/sse.ts";

test("a stream begins with retry, then every event has its id, from the first one on", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
  assert.equal(stream.headers.get("cache-control"), "no-cache");
  await api.ask(id, "hello");
  await stream.first("turn.ended");
  const [retry, ...blocks] = stream.blocks;
  assert.deepEqual(retry, { retry: "1000" });
  assert.deepEqual(
    blocks.map((block) => block.id),
    stream.events.map((event) => `${id}:${event.seq}`),
  );
  assert.deepEqual(
    stream.events.map((event) => event.seq),
    stream.events.map((_, at) => at + 1),
    "nothing is folded for one that was there",
  );
  assert.deepEqual(
    stream.events.map((event) => event.id),
    stream.ids,
  );
  await stream.close();
});

test("the streamed events are the events of the log", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.ask(id, "[[tools 2]] [[reasoning]]");
  const end = await stream.first("turn.ended");
  const stored = await lawfulEvents(api, id);
  const seen = new Map(stream.events.map((event) => [event.seq, event]));
  for (const { folded: _, ...event } of stored) {
    if (event.seq <= end.seq) assert.deepEqual(event, seen.get(event.seq));
  }
  await stream.close();
});

test("Last-Event-ID wins over after, and latest begins with what comes next", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "hello");
  const known = await foldedEvents(api, id);
  const { last } = await api.session(id);
  const from = known[2];
  const resumed = await api.stream(id, "?after=0", { "last-event-id": from?.id ?? "" });
  const latest = await api.stream(id, "?after=latest");
  const all = await api.stream(null);
  await api.ask(id, "again");
  await resumed.event((event) => event.type === "turn.ended" && event.seq > last, "the second turn's end");
  await latest.first("turn.ended");
  await all.first("turn.ended");
  assert.deepEqual(resumed.events[0], known[3]);
  assert.equal(latest.events[0]?.seq, last + 1);
  const turn = ({ events }: typeof all) => events.slice(0, events.findIndex(({ type }) => type === "turn.ended") + 1);
  assert.deepEqual(turn(all), turn(latest), "a stream of all begins with now");
  for (const stream of [resumed, latest, all]) await stream.close();
});

test("the stream of all sessions resumes by its own ids, which are no session's", async (t) => {
  const { api } = await startServer(t);
  const made = [await api.create(), await api.create()];
  const all = await api.stream(null, "?after=0");
  await Promise.all(made.map(({ id }) => api.ask(id, "hello")));
  await all.when((reader) => reader.count("turn.ended") === 2, "two ends");
  assert.ok(all.ids.every((id) => /^all:\d+$/.test(id)));
  const at = Math.floor(all.ids.length / 2);
  const resumed = await api.stream(null, "", { "last-event-id": all.ids[at] ?? "" });
  await resumed.when((reader) => reader.ids.at(-1) === all.ids.at(-1), "the newest event");
  const missed = resumed.events.filter((event) => event.type !== "item.delta").map((event) => event.id);
  const expected = all.events.slice(at + 1).filter((event) => event.type !== "item.delta");
  assert.deepEqual(
    missed,
    expected.map((event) => event.id),
  );
  for (const { id } of made) assertNoGap(all.events.filter((event) => event.session === id));
  await all.close();
  await resumed.close();
});

test("a quiet stream says that it lives", async (t) => {
  const { parley, api } = await startServer(t);
  const { id } = await api.create();
  const { gateway } = parley;
  const clients = new SseClients(createMetrics(), { heartbeatMs: 150 });
  const handler = createUniversal({
    gateway,
    clients,
    commands: {} as CommandHost,
    terminals: {} as Terminals,
    version: "test",
    logger: silentLogger,
    defaultDirectory: "/",
    consoleLinks: { make: () => undefined, others: () => [] },
  });
  const http = createServer((request, response) => void handler(request, response)).listen(0, "127.0.0.1");
  await once(http, "listening");
  const stream = await openStream(`http://127.0.0.1:${(http.address() as AddressInfo).port}/v1/sessions/${id}/stream`);
  await stream.when(({ blocks }) => blocks.filter((block) => block.comment === "hb").length >= 3, "three heartbeats");
  assert.deepEqual(
    stream.events.map((event) => event.type),
    ["session.started"],
  );
  await stream.close();
  http.closeAllConnections();
  http.close();
});

test("a shutdown cuts streams and waiting prompts in the middle: a clean end would say that all is told", async (t) => {
  const server = await startServer(t);
  const { api } = server;
  const { id } = await api.create();
  const [one, all] = [await api.stream(id), await api.stream(null)];
  await api.prompt(id, "[[slow 60000]]");
  await one.first("item.delta");
  await server.stop();
  assert.deepEqual(await Promise.all([one.over, all.over]), ["cut", "cut"]);
  for (const stream of [one, all]) {
    const end = stream.events.find((event) => event.type === "turn.ended");
    assert.equal(end?.type === "turn.ended" && end.data.reason, "interrupted", "the last events came first");
    assert.equal(stream.events.at(-1)?.type, "session.ended");
  }
  await server.restart();
  const resumed = await server.api.stream(id, "", { "last-event-id": one.ids.at(-1) ?? "" });
  await server.api.ask(id, "hello");
  await resumed.first("turn.ended");
  assertNoGap(resumed.events, one.events.at(-1)?.seq);
  await resumed.close();
});

test("a stream of a sub-agent's root does not hold the sub-agent's events; the stream of all does", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const [root, all] = [await api.stream(id), await api.stream(null)];
  await api.ask(id, "[[subagent]]");
  await root.first("turn.ended");
  await all.when((reader) => reader.count("turn.ended") === 2, "both ends");
  assert.ok(root.events.every((event) => event.session === id));
  assert.ok(all.events.some((event) => event.root === id));
  await root.close();
  await all.close();
});
