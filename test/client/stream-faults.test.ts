import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ConnectionState,
  createClient,
  type EventStream,
  type EventsOptions,
  ParleyApiError,
  ParleyConnectionError,
  ParleyProtocolError,
  type StreamEvent,
} from "../../src/client/index.ts";
import { type FakeServer, frame, problem, startFake, stream } from "./fake-server.ts";
import { quick } from "./support.ts";

function eventsOf(server: FakeServer, options: EventsOptions = {}): EventStream<StreamEvent> {
  return createClient({ url: server.url, backoff: quick }).session("ses_fake").events(options);
}

async function take(events: EventStream<StreamEvent>, count: number): Promise<number[]> {
  const seen: number[] = [];
  for await (const event of events) {
    seen.push(event.seq);
    if (seen.length === count) break;
  }
  return seen;
}

const cursors = (server: FakeServer) => server.requests.map((request) => request.headers["last-event-id"]);

test("a stream that ends cleanly is a lost connection: it resumes with Last-Event-ID", async () => {
  await using server = await startFake((response, _, index) => {
    stream(response).write(frame(index * 2 + 1) + frame(index * 2 + 2));
    response.end();
  });
  assert.deepEqual(await take(eventsOf(server), 6), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(cursors(server).slice(0, 3), ["0", "ses_fake:2", "ses_fake:4"]);
});

test("events that come again are dropped", async () => {
  await using server = await startFake((response, _, index) => {
    stream(response).write([1, 1, 2, index === 0 ? 2 : 3].map((seq) => frame(seq)).join(""));
    if (index === 0) response.end();
  });
  assert.deepEqual(await take(eventsOf(server), 3), [1, 2, 3]);
});

test("in the stream of all sessions positions may skip, and what comes again is dropped", async () => {
  const at = (position: number, seq: number) => frame(seq).replace(/^id: .*$/m, `id: all:${position}`);
  await using server = await startFake((response, _, index) => {
    stream(response).write(at(5, 1) + at(9, 7) + at(9, 7) + (index === 0 ? "" : at(12, 8)));
    if (index === 0) response.end();
  });
  const all = createClient({ url: server.url, backoff: quick }).allEvents({ after: 3 });
  assert.deepEqual(await take(all, 3), [1, 7, 8]);
  assert.deepEqual(cursors(server), ["3", "all:9"]);
  assert.equal(all.cursor, "all:12");
});

test("over a hole it does not step: it comes back for what is missing", async () => {
  await using server = await startFake((response, _, index) => {
    stream(response).write(index === 0 ? frame(1) + frame(3) : frame(2) + frame(3));
  });
  assert.deepEqual(await take(eventsOf(server), 3), [1, 2, 3]);
  assert.deepEqual(cursors(server), ["0", "ses_fake:1"]);
});

test("numbers that were folded are no hole", async () => {
  await using server = await startFake((response) => {
    stream(response).write(frame(1) + frame(9, { folded: 7 }));
  });
  assert.deepEqual(await take(eventsOf(server), 2), [1, 9]);
  assert.equal(server.requests.length, 1);
});

test("a hole that stays makes the stream fail, and says where", async () => {
  await using server = await startFake((response) => {
    stream(response).write(frame(1) + frame(3));
  });
  const seen: number[] = [];
  await assert.rejects(
    async () => {
      for await (const event of eventsOf(server)) seen.push(event.seq);
    },
    (error) => error instanceof ParleyProtocolError && /expected number 2 of ses_fake, got 3/.test(error.message),
  );
  assert.deepEqual(seen, [1]);
  assert.equal(server.requests.length, 5);
});

test("a frame that was cut in the middle is not taken for an event", async () => {
  await using server = await startFake((response, _, index) => {
    const whole = frame(1) + frame(2);
    stream(response).write(index === 0 ? whole.slice(0, -1) : whole);
    if (index === 0) response.end();
  });
  assert.deepEqual(await take(eventsOf(server), 2), [1, 2]);
  assert.deepEqual(cursors(server), ["0", "ses_fake:1"]);
});

test("text is whole however its bytes are split", async () => {
  const text = "größer 日本 👩‍💻\u2028\r";
  await using server = await startFake(async (response) => {
    stream(response);
    for (const byte of Buffer.from(frame(1, { data: { text } }))) {
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
    }
  });
  const { value } = await eventsOf(server).next();
  assert.equal(value?.type === "session.note" && value.data.text, text);
});

test("a connection that says nothing, not even a heartbeat, counts as dead", async () => {
  // The client may take a connection for dead before its event came: the next one must go on from the client's cursor.
  await using server = await startFake((response, { headers }) => {
    const cursor = Number(/\d+$/.exec(`${headers["last-event-id"]}`)?.[0]);
    stream(response).write(frame(cursor + 1));
  });
  const states: ConnectionState[] = [];
  const events = eventsOf(server, { silenceMs: 60, onConnection: (state) => states.push(state) });
  assert.deepEqual(await take(events, 2), [1, 2]);
  const lost = states.find((state) => state.state === "lost");
  assert.match(String(lost?.state === "lost" && lost.error), /nothing came for 0.06 s/);
});

test("heartbeats keep a quiet connection", async () => {
  await using server = await startFake((response) => {
    stream(response).write(frame(1));
    let beats = 0;
    const timer = setInterval(() => response.write(++beats === 15 ? frame(2) : ": hb\n\n"), 100);
    response.once("close", () => clearInterval(timer));
  });
  assert.deepEqual(await take(eventsOf(server, { silenceMs: 1_000 }), 2), [1, 2]);
  assert.equal(server.requests.length, 1);
});

test("the first try comes at once, later ones wait as long as the server's retry says, and an event starts anew", async () => {
  await using server = await startFake((response, _, index) => {
    stream(response).write(index === 3 ? frame(1) : "retry: 321\n\n");
    if (index < 5) response.end();
    else response.write(frame(2));
  });
  const asked: [number, number][] = [];
  const backoff = (attempt: number, baseMs: number): number => {
    asked.push([attempt, baseMs]);
    return 0;
  };
  const events = createClient({ url: server.url, backoff }).session("ses_fake").events();
  assert.deepEqual(await take(events, 2), [1, 2]);
  assert.deepEqual(asked, [...[0, 1, 2].map((attempt) => [attempt, 321]), ...[0, 1].map((attempt) => [attempt, 321])]);
});

test("a server that is not ready is asked again, not sooner than it wants", async () => {
  await using server = await startFake((response, _, index) => {
    if (index === 0) problem(response, 503, "shutting_down", { "retry-after": "1" });
    else if (index === 1) problem(response, 429, "too_many_failures");
    else stream(response).write(frame(1));
  });
  const waits: number[] = [];
  const events = eventsOf(server, {
    onConnection: (state) => state.state === "lost" && waits.push(state.retryInMs),
  });
  assert.deepEqual(await take(events, 1), [1]);
  assert.deepEqual(waits, [1_000, 5]);
});

for (const [status, code] of [
  [400, "bad_cursor"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "session_not_found"],
] as const) {
  test(`${status} ${code} ends the stream with an error`, async () => {
    await using server = await startFake((response, _, index) => {
      if (index > 0) return problem(response, status, code);
      stream(response).write(frame(1));
      response.end();
    });
    const events = eventsOf(server);
    assert.equal((await events.next()).value?.seq, 1);
    await assert.rejects(
      events.next(),
      (error) => error instanceof ParleyApiError && error.status === status && error.code === code,
    );
    assert.equal((await events.next()).done, true);
    assert.equal(server.requests.length, 2);
  });
}

test("a response that is no event stream is refused, with its type in the error", async () => {
  await using server = await startFake((response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  });
  await assert.rejects(
    eventsOf(server).next(),
    (error) => error instanceof ParleyProtocolError && /answered with text\/html, expected/.test(error.message),
  );
});

test("with giveUpAfterMs a server that stays away makes the stream fail", async () => {
  const server = await startFake((response) => response.destroy());
  await server[Symbol.asyncDispose]();
  await assert.rejects(
    eventsOf(server, { giveUpAfterMs: 30 }).next(),
    (error) => error instanceof ParleyConnectionError && /^gave up after \d+ tries: .*ECONNREFUSED/.test(error.message),
  );
});

test("an event of a type that only a newer Parley knows is passed on as it came", async () => {
  await using server = await startFake((response) => {
    stream(response).write(
      `event: news\ndata: whatever\n\n${frame(1, { type: "agent.dreamt", data: { of: "sheep" } })}`,
    );
  });
  const { value } = await eventsOf(server).next();
  assert.deepEqual([value?.type, value?.data], ["agent.dreamt", { of: "sheep" }]);
});
