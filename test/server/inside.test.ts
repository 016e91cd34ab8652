import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { EventHandover } from "../../src/client/handover.ts";
import type { RequestWithHandover } from "../../src/core/handover.ts";
import { createMetrics } from "../../src/core/metrics.ts";
import { readHead } from "../../src/server/http/inside/head.ts";
import { frameOf } from "../../src/surfaces/stream/frame.ts";
import type { SseClient } from "../../src/surfaces/stream/sse-client.ts";
import { SseClients } from "../../src/surfaces/stream/sse-clients.ts";
import { eventually } from "../support/eventually.ts";
import { mountAll, startServer, TOKEN } from "./helpers.ts";

const headers = { authorization: `Bearer ${TOKEN}` };
const url = (path: string): string => `http://127.0.0.1${path}`;

test("a head is read once all of it is there", () => {
  const text = "HTTP/1.1 201 Created\r\nContent-Type: a/b\r\nx: y: z\r\n\r\nbody";
  const end = text.length - "body".length;
  for (let length = 0; length < end; length++) assert.equal(readHead(Buffer.from(text.slice(0, length))), undefined);
  assert.deepEqual(readHead(Buffer.from(text)), {
    status: 201,
    headers: [
      ["Content-Type", "a/b"],
      ["x", "y: z"],
    ],
    length: end,
  });
});

test("a request from inside is answered as any other, with its body and without a socket of the system", async () => {
  await using server = await startServer({
    mounts: [
      mountAll((request, response, { body, path }) => {
        response.writeHead(201, { "content-type": "text/plain", "x-method": request.method ?? "" });
        response.end(`${path} ${body ?? "-"} é`);
      }),
    ],
  });
  const { fetch } = server.listener;
  const json = { ...headers, "content-type": "application/json" };
  const posted = await fetch(url("/a?b=c"), { method: "POST", headers: json, body: '{"name":"é"}' });
  assert.equal(posted.status, 201);
  assert.equal(posted.headers.get("x-method"), "POST");
  assert.equal(await posted.text(), '/a {"name":"é"} é');
  assert.equal(await (await fetch(url("/d"), { headers })).text(), "/d - é");
});

test("a request from inside passes the same guards", async () => {
  await using server = await startServer({ mounts: [mountAll((_request, response) => void response.end("in"))] });
  const { fetch } = server.listener;
  assert.equal((await fetch(url("/a"), {})).status, 401);
  assert.equal((await fetch("http://elsewhere.example/a", { headers })).status, 421);
  const text = { ...headers, "content-type": "text/plain" };
  assert.equal((await fetch(url("/a"), { method: "POST", headers: text, body: "x" })).status, 415);
  server.listener.stopAccepting();
  assert.equal((await fetch(url("/a"), { headers })).status, 503);
});

test("an answer without a body has none", async () => {
  await using server = await startServer({
    mounts: [mountAll((_request, response) => void response.writeHead(204).end())],
  });
  const answer = await server.listener.fetch(url("/a"), { method: "DELETE", headers });
  assert.deepEqual([answer.status, answer.body], [204, null]);
});

async function streaming(limits = {}, handover?: EventHandover) {
  const clients = new SseClients(createMetrics(), limits);
  const opened: { client: SseClient; response: ServerResponse }[] = [];
  const server = await startServer({
    mounts: [
      mountAll((request, response) => {
        opened.push({ client: clients.open(request, response), response });
      }),
    ],
  });
  const leaving = new AbortController();
  const request: RequestWithHandover = { headers, signal: leaving.signal, ...(handover && { handover }) };
  const answer = await server.listener.fetch(url("/stream"), request);
  const reader = answer.body?.getReader();
  const [one] = opened;
  assert.ok(reader && one);
  return {
    ...one,
    server,
    leaving,
    answer,
    read: async () => Buffer.from((await reader.read()).value ?? "").toString(),
  };
}

test("a stream from inside brings each frame as it is written, and its reader's leave ends it", async () => {
  const { client, server, leaving, answer, read } = await streaming();
  await using _ = server;
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  assert.equal(await read(), "retry: 1000\n\n");
  client.write(frameOf("data: 1\n\n"));
  assert.equal(await read(), "data: 1\n\n");
  const closed = new Promise<void>((resolve) => client.onClose(resolve));
  leaving.abort(new Error("gone"));
  await closed;
  await assert.rejects(read(), /gone/);
});

test("a client that is handed events is cut when it takes nothing of what waits, and not while nothing does", async () => {
  const handover = new EventHandover();
  const { client, server } = await streaming({ heartbeatMs: 60_000, stillBeats: 2 }, handover);
  await using _ = server;
  const beats = (count: number): void => {
    for (let beat = 0; beat < count; beat++) client.beat(frameOf(": hb\n\n"));
  };
  beats(5);
  client.hand({ event: "gap", data: "1" }, 1);
  client.hand({ event: "gap", data: "2" }, 1);
  beats(2);
  await handover.take();
  beats(2);
  assert.equal(client.closed, false);
  beats(1);
  assert.equal(client.closed, true);
  assert.deepEqual(await handover.take(), { event: "gap", data: "2" });
  await assert.rejects(handover.take(), /cut off/);
});

test("a stream that the server cuts fails for its reader", async () => {
  const { client, server, read } = await streaming();
  await using _ = server;
  await read();
  client.cut("shutdown");
  await assert.rejects(read(), /cut off/);
});

test("a reader from inside that does not read is behind, as one at a socket is, and gets all in the end", async () => {
  const { client, server, read } = await streaming({ highWater: 1_000 });
  await using _ = server;
  await read();
  const frame = frameOf(`data: ${"x".repeat(100_000)}\n\n`);
  while (client.write(frame));
  assert.ok(client.backlog > 1_000);
  let got = "";
  const drained = client.drained();
  while (client.backlog > 0) got += await read();
  await drained;
  await eventually("all has come", async () => {
    if (!got.endsWith("\n\n")) got += await read();
    return got.endsWith("\n\n");
  });
  assert.equal(got.length % frame.text.length, 0);
});

test("a request from inside that is given up is over for the server, too", async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  await using server = await startServer({ mounts: [mountAll((_request, response) => asked.resolve(response))] });
  const leaving = new AbortController();
  const answer = server.listener.fetch(url("/slow"), { headers, signal: leaving.signal });
  const response = await asked.promise;
  const closed = once(response, "close");
  leaving.abort(new Error("enough"));
  await assert.rejects(answer, /enough/);
  await closed;
});
