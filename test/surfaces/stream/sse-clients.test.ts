import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../src/surfaces/stream/frame.ts";
import type { SseClient } from "../../../src/surfaces/stream/sse-client.ts";
import { Reader, startStreams } from "./helpers.ts";

const MIB = 1024 * 1024;

async function opened(
  server: Awaited<ReturnType<typeof startStreams>>,
  version?: string,
): Promise<[SseClient, Reader]> {
  const next = server.next();
  const reader = new Reader(server.port, version);
  return [await next, reader];
}

test("a stream begins with its headers and the retry line, then come the frames", async () => {
  await using server = await startStreams({ retryMs: 700 });
  const [client, reader] = await opened(server);
  reader.read();
  assert.equal(server.streams.size, 1);
  assert.ok(client.write(frameOf("data: one ü\n\n")));
  client.write(frameOf("data: two\n\n"));
  await reader.until("two");
  assert.match(reader.text, /^HTTP\/1\.1 200 /);
  for (const header of ["content-type: text/event-stream", "cache-control: no-cache", "x-accel-buffering: no"]) {
    assert.ok(reader.text.toLowerCase().includes(`\r\n${header}\r\n`), header);
  }
  assert.equal(reader.body(), "retry: 700\n\ndata: one ü\n\ndata: two\n\n");
  const closed = new Promise<void>((resolve) => client.onClose(resolve));
  reader.socket.destroy();
  await closed;
  assert.equal(server.streams.size, 0);
  assert.ok(client.closed);
  assert.equal(client.write(frameOf("data: late\n\n")), false);
  await client.drained();
});

test("an HTTP/1.0 client gets the bare text", async () => {
  await using server = await startStreams();
  const [client, reader] = await opened(server, "1.0");
  reader.read();
  client.write(frameOf("data: one\n\n"));
  await reader.until("one");
  assert.equal(reader.text.split("\r\n\r\n")[1], "retry: 1000\n\ndata: one\n\n");
});

test("the server cuts streams in the middle, so that no client takes it for an end", async () => {
  await using server = await startStreams();
  const pairs = await Promise.all([1, 2, 3].map(() => opened(server)));
  for (const [client, reader] of pairs) {
    client.write(frameOf("data: last\n\n"));
    await reader.read().until("last");
  }
  server.streams.destroyAll();
  assert.equal(server.streams.size, 0);
  await Promise.all(pairs.map(([, reader]) => reader.end()));
  for (const [, reader] of pairs) assert.ok(!reader.text.endsWith("0\r\n\r\n"));
  assert.match(server.metrics.render(), /parley_sse_cut_total\{reason="shutdown"\} 3/);
  const url = `http://127.0.0.1:${server.port}/`;
  const next = server.next();
  const response = await fetch(url);
  (await next).cut("shutdown");
  await assert.rejects(response.text(), "fetch reports a broken body");
});

test("a quiet stream gets heartbeats, a busy one does not", async () => {
  await using server = await startStreams({ heartbeatMs: 45 });
  const [, quiet] = await opened(server);
  const [busyClient, busy] = await opened(server);
  busy.read();
  const timer = setInterval(() => busyClient.write(frameOf("data: x\n\n")), 1);
  await quiet.read().until(": hb\n\n\r\n6\r\n: hb\n\n");
  clearInterval(timer);
  const beats = (text: string): number => text.split(": hb").length - 1;
  assert.ok(beats(quiet.text) >= 2);
  assert.ok(beats(busy.text) < beats(quiet.text), `${beats(busy.text)} of ${beats(quiet.text)}`);
});

test("a client that does not read is cut at 8 MiB, the others get everything, and it may come back", async () => {
  await using server = await startStreams();
  const [frozen] = await opened(server);
  const others = await Promise.all([1, 2, 3].map(() => opened(server)));
  for (const [, reader] of others) reader.read();
  const text = "x".repeat(64 * 1024);
  let most = 0;
  let sent = 0;
  while (!frozen.closed) {
    assert.ok(sent < 4_096, "never cut");
    const frame = frameOf(`data: ${sent++} ${text}\n\n`);
    for (const client of [frozen, ...others.map(([client]) => client)]) client.write(frame);
    if (!frozen.closed) most = Math.max(most, frozen.backlog);
    await Promise.all(others.map(([client]) => client.drained()));
    await new Promise(setImmediate);
  }
  assert.ok(most > 7 * MIB && most <= 8 * MIB, `cut after a backlog of ${most}`);
  assert.match(server.metrics.render(), /parley_sse_cut_total\{reason="backlog"\} 1/);
  assert.equal(server.streams.size, 3);
  for (const [client, reader] of others) {
    client.write(frameOf("data: the end\n\n"));
    await reader.until("the end");
    const numbers = [...reader.body().matchAll(/^data: (\d+) /gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      Array.from({ length: sent }, (_, index) => index),
    );
  }
  const [back, reader] = await opened(server);
  back.write(frameOf("data: again\n\n"));
  await reader.read().until("again");
});

test("a live client that may still wait is paused, not cut, for one frame that is bigger than its backlog may be", async () => {
  await using server = await startStreams();
  const [client, reader] = await opened(server);
  const small = frameOf(`data: ${"x".repeat(256 * 1024)}\n\n`);
  while (client.backlog < 5 * MIB) assert.ok(client.write(small, true));
  assert.equal(client.write(frameOf(`data: ${"y".repeat(5 * MIB)}\n\n`), true), false);
  assert.equal(client.closed, false);
  reader.read();
  await client.drained();
  assert.equal(client.closed, false);
});

test("a reader of old events is told to wait, and when to go on", async () => {
  await using server = await startStreams();
  const [client, reader] = await opened(server);
  const frame = frameOf(`data: ${"x".repeat(64 * 1024)}\n\n`);
  let sent = 0;
  while (client.write(frame)) sent++;
  assert.ok(client.backlog > 256 * 1024 && client.backlog < MIB);
  let drained = false;
  const waiting = client.drained().then(() => {
    drained = true;
  });
  await new Promise(setImmediate);
  assert.equal(drained, false, `${sent} frames fit without a reader`);
  reader.read();
  await waiting;
  assert.equal(client.backlog, 0);
});

test("drained() resolves when the client is cut", async () => {
  await using server = await startStreams();
  const [client] = await opened(server);
  const frame = frameOf(`data: ${"x".repeat(64 * 1024)}\n\n`);
  while (client.write(frame));
  const waiting = client.drained();
  client.cut("shutdown");
  await waiting;
});

test("a client that takes nothing is cut within three beats, a slow one is not", async () => {
  await using server = await startStreams({ heartbeatMs: 150 });
  const [still] = await opened(server);
  const [slow, reader] = await opened(server);
  const frame = frameOf(`data: ${"x".repeat(64 * 1024)}\n\n`);
  for (const client of [still, slow]) while (client.write(frame));
  // Enough stays pending that a slow reader cannot be done before the other one is cut.
  for (let i = 0; i < 90; i++) slow.write(frame);
  reader.socket.on("data", () => {
    reader.socket.pause();
    setTimeout(() => reader.socket.resume(), 5);
  });
  const begun = performance.now();
  await new Promise<void>((resolve) => still.onClose(resolve));
  const beats = (performance.now() - begun) / 150;
  assert.ok(beats >= 1, `${beats} beats`);
  assert.equal(slow.closed, false);
  assert.match(server.metrics.render(), /parley_sse_cut_total\{reason="stalled"\} 1/);
});

test("a stream behind another answer on the same connection is refused, not mixed in", async () => {
  await using server = await startStreams();
  const next = server.next();
  const reader = new Reader(server.port).read();
  await next;
  await reader.until("retry");
  reader.socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await reader.end();
  assert.equal(reader.text.split("HTTP/1.1 200").length, 2);
  assert.equal(server.streams.size, 0);
});

test("by default a client that takes nothing is cut after 45 s, and not after 30", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  await using server = await startStreams();
  const [client] = await opened(server);
  const frame = frameOf(`data: ${"x".repeat(64 * 1024)}\n\n`);
  while (client.write(frame));
  // Bytes that the system takes after the last write would count as progress of the second beat.
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  t.mock.timers.tick(30_000);
  assert.equal(client.closed, false);
  t.mock.timers.tick(15_000);
  assert.equal(client.closed, true);
});

test("one timer serves all streams, and none is left when the last has gone", async (t) => {
  const starts = t.mock.method(globalThis, "setInterval").mock;
  const stops = t.mock.method(globalThis, "clearInterval").mock;
  await using server = await startStreams();
  for (const round of [1, 2]) {
    const pairs = await Promise.all([1, 2, 3].map(() => opened(server)));
    assert.equal(starts.callCount(), round);
    assert.equal(stops.callCount(), round - 1);
    for (const [, reader] of pairs) reader.socket.destroy();
    await Promise.all(pairs.map(([client]) => new Promise<void>((resolve) => client.onClose(resolve))));
    assert.equal(stops.callCount(), round);
    assert.equal(stops.calls[round - 1]?.arguments[0], starts.calls[round - 1]?.result);
  }
});
