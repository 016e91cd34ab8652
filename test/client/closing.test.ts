import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createClient } from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "./cutting-proxy.ts";
import { frame, startFake, stream } from "./fake-server.ts";
import { quick, startServer } from "./support.ts";

async function openStream() {
  const server = await startServer();
  const proxy = await startProxy(server.port);
  const client = createClient({ url: proxy.url });
  const session = client.session(await client.sessions.create());
  const open = () => proxy.open(`GET /v1/sessions/${session.id}/stream`);
  const gone = () => eventually("the stream's socket is closed", () => open() === 0);
  const watched = () => server.parley.gateway.attachments.watched(session.id, undefined);
  return {
    ...{ client, session, open, gone, watched },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test("leaving the loop closes the socket", async () => {
  await using place = await openStream();
  for await (const event of place.session.events()) {
    assert.equal(event.seq, 1);
    assert.equal(place.open(), 1);
    break;
  }
  await place.gone();
  await eventually("the server knows", () => !place.watched());
});

test("an aborted signal ends the loop quietly, also while it waits, and closes the socket", async () => {
  await using place = await openStream();
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const event of place.session.events({ signal: stop.signal })) {
    seen.push(event.seq);
    setImmediate(() => stop.abort());
  }
  assert.deepEqual(seen, [1]);
  await place.gone();
});

test("nothing is yielded after an abort, and the cursor stays at what was yielded", async () => {
  await using server = await startFake((response) =>
    stream(response).write([1, 2, 3].map((seq) => frame(seq)).join("")),
  );
  const stop = new AbortController();
  const events = createClient({ url: server.url }).session("ses_fake").events({ signal: stop.signal });
  assert.equal((await events.next()).value?.seq, 1);
  stop.abort();
  assert.equal((await events.next()).done, true);
  assert.equal(events.cursor, "ses_fake:1");
});

test("return() ends a stream that waits for its next event", async () => {
  await using place = await openStream();
  const events = place.session.events();
  await events.next();
  const waiting = events.next();
  await events.return();
  assert.equal((await waiting).done, true);
  await place.gone();
});

test("return() ends a stream that waits for its next try", async () => {
  await using server = await startFake((response) => response.destroy());
  const events = createClient({ url: server.url, backoff: () => 600_000 })
    .session("ses_fake")
    .events();
  const waiting = events.next();
  await eventually("a request was made", () => server.requests.length === 1);
  await events.return();
  assert.equal((await waiting).done, true);
});

test("a signal that is aborted already sends nothing", async () => {
  await using server = await startFake((response) => stream(response));
  const client = createClient({ url: server.url });
  for (const follow of [true, false]) {
    const events = client.session("ses_fake").events({ signal: AbortSignal.abort(), follow });
    assert.equal((await events.next()).done, true);
  }
  assert.equal(server.requests.length, 0);
});

test("a long-lived signal keeps no listener of a stream that ended", async () => {
  await using place = await openStream();
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  for await (const _ of place.session.events({ signal })) break;
  for await (const _ of place.session.events({ signal, follow: false }));
  await place.session.run("hello", { signal }).outcome();
  assert.equal(listeners, 0);
});

test("a run that is left closes its socket; the turn goes on", async () => {
  await using place = await openStream();
  const run = place.session.run("[[slow 60000]]");
  await run.next();
  await run.return();
  await assert.rejects(run.outcome(), /left before its turn had ended/);
  await place.gone();
  assert.equal((await place.session.get()).status, "busy");
  assert.equal((await place.session.cancel()).cancelled, true);
});

test("a run whose signal is aborted fails with its reason, because it has no outcome", async () => {
  await using place = await openStream();
  const stop = new AbortController();
  const run = place.session.run("[[slow 60000]]", { signal: stop.signal });
  await run.next();
  const reason = new Error("enough");
  stop.abort(reason);
  await assert.rejects(async () => {
    for await (const _ of run);
  }, reason);
  await assert.rejects(run.outcome(), reason);
  await place.gone();
});

test("a request's signal cancels it", async () => {
  await using server = await startFake(() => {});
  const stop = new AbortController();
  const prompting = createClient({ url: server.url, backoff: quick })
    .session("ses_fake")
    .prompt("hello", { signal: stop.signal });
  await eventually("the request is there", () => server.requests.length === 1);
  const closed = server.requests[0] ? once(server.requests[0].socket, "close") : undefined;
  const reason = new Error("not needed");
  stop.abort(reason);
  await assert.rejects(prompting, reason);
  await closed;
  assert.equal(server.requests.length, 1);
});
