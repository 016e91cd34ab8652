import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createClient,
  type GapEvent,
  ParleyApiError,
  ParleyProtocolError,
  type StreamEvent,
} from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { quick, startServer } from "./support.ts";

async function prunedSession() {
  const server = await startServer({ retainEvents: 30 });
  const client = createClient({ url: server.url, backoff: quick });
  const session = client.session(await client.sessions.create({ title: "long" }));
  const first = await session.prompt("hello", { wait: true });
  for (let turn = 0; turn < 4; turn++) await session.prompt("hello", { wait: true });
  await eventually("old turns are dropped", async () => (await session.get()).first > 30);
  return { session, first, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

for (const follow of [true, false]) {
  test(`events that are no longer kept come as a gap with a snapshot (follow: ${follow})`, async () => {
    await using place = await prunedSession();
    const { session } = place;
    const { first, last } = await session.get();
    const seen: StreamEvent[] = [];
    for await (const event of session.events({ after: 3, follow })) {
      seen.push(event);
      if (event.seq === last) break;
    }
    const [gap, ...rest] = seen as [GapEvent, ...StreamEvent[]];
    assert.equal(gap.type, "gap");
    assert.deepEqual([gap.id, gap.seq, gap.session], [`${session.id}:${first - 1}`, first - 1, session.id]);
    assert.equal(gap.data.after, 3);
    assert.equal(gap.data.first, first);
    assert.equal(gap.data.snapshot.title, "long");
    assert.ok(gap.data.snapshot.turns > 0);
    assert.equal(rest[0]?.seq, first);
    assert.ok(rest.every((event) => event.type !== "gap"));
  });
}

test("a reader that comes back after its place was dropped is told by a gap, then goes on", async () => {
  await using server = await startServer({ retainEvents: 30 });
  const client = createClient({ url: server.url, backoff: quick });
  const session = client.session(await client.sessions.create());
  const types: string[] = [];
  let before = 0;
  for await (const event of session.events()) {
    types.push(event.type);
    if (event.type === "gap") {
      assert.equal(event.data.after, before);
      break;
    }
    before = event.seq;
    if (event.type !== "session.started") continue;
    // While this reader sits still, its connection breaks and the server forgets what it has not read.
    server.parley.cutStreams();
    for (let turn = 0; turn < 4; turn++) await session.prompt("hello", { wait: true });
    await eventually("old turns are dropped", async () => (await session.get()).first > 30);
  }
  assert.equal(types.at(-1), "gap");
});

test("the turn of a receipt that is no longer kept fails instead of waiting for ever", async () => {
  await using place = await prunedSession();
  await assert.rejects(
    place.session.turn(place.first.receipt).outcome(),
    (error) => error instanceof ParleyProtocolError && /is no longer kept/.test(error.message),
  );
});

test("a cursor of the future is refused", async () => {
  await using place = await prunedSession();
  for (const follow of [true, false]) {
    await assert.rejects(
      place.session.events({ after: 1_000_000, follow }).next(),
      (error) => error instanceof ParleyApiError && error.code === "bad_cursor" && error.problem.reason === "future",
    );
  }
});
