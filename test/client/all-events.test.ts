import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type ParleyEvent } from "../../src/client/index.ts";
import { startProxy } from "./cutting-proxy.ts";
import { quick, seeded, startServer } from "./support.ts";

test("the events of all sessions, each once and in order, over a bad line", async () => {
  await using server = await startServer();
  const random = seeded(7);
  await using proxy = await startProxy(server.port, () => ({
    ...{ bytes: Math.floor(random() ** 3 * 60_000), how: "reset" as const },
  }));
  const direct = createClient({ url: server.url });
  const client = createClient({ url: proxy.url, backoff: quick, retries: 50 });
  const sessions = await Promise.all([1, 2, 3].map(async () => direct.session(await direct.sessions.create())));
  const seen: ParleyEvent[] = [];
  const events = client.allEvents({ after: 0 });
  const reading = (async () => {
    let ended = 0;
    for await (const event of events) {
      seen.push(event);
      if (event.type === "turn.ended" && ++ended === 6) break;
    }
  })();
  for (const text of ["[[flood 1500]]", "[[tools]]"]) {
    await Promise.all(sessions.map((session) => session.prompt(text, { wait: true })));
  }
  await reading;
  assert.ok(proxy.cuts > 0);
  assert.equal(new Set(seen.map((event) => event.id)).size, seen.length);
  for (const { id } of sessions) {
    let cursor = 0;
    for (const event of seen.filter(({ session }) => session === id)) {
      assert.ok(event.seq > cursor && event.seq - (event.folded ?? 0) - 1 <= cursor, `${event.id} after ${cursor}`);
      cursor = event.seq;
    }
    assert.equal(cursor, (await direct.session(id).get()).last);
  }

  const rest: ParleyEvent[] = [];
  for await (const event of direct.allEvents({ after: events.cursor, follow: false })) rest.push(event);
  assert.deepEqual(rest, []);
});

test("from now on means from the first request on, even when no event came before the line broke", async () => {
  await using server = await startServer();
  const direct = createClient({ url: server.url });
  await direct.sessions.create({ title: "before" });
  let created: Promise<{ id: string }> | undefined;
  // Away for long enough to miss what happens meanwhile, if it came back for the latest.
  const events = createClient({ url: server.url, backoff: () => 300 }).allEvents({
    onConnection: ({ state }) => {
      if (created) return;
      if (state === "open") server.parley.cutStreams();
      else created = direct.sessions.create({ title: "after" });
    },
  });
  const { value } = await events.next();
  assert.equal(value?.session, (await created)?.id);
  assert.match(events.cursor, /^all:\d+$/);
  await events.return();
});

test("a session's stream can start from now on too", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const session = client.session(await client.sessions.create());
  await session.prompt("hello", { wait: true });
  const { last } = await session.get();
  let update: Promise<unknown> | undefined;
  const events = session.events({
    after: "latest",
    onConnection: () => {
      update ??= session.update({ title: "new" });
    },
  });
  const { value } = await events.next();
  assert.equal(value?.type, "session.updated");
  assert.ok(value && value.seq > last);
  await update;
  await events.return();
});

test("pages of all events", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  for (let i = 0; i < 3; i++) await client.sessions.create();
  const first = await client.page({ limit: 2 });
  assert.deepEqual([first.events.length, first.more], [2, true]);
  const second = await client.page({ after: first.next, limit: 2 });
  assert.deepEqual([second.events.length, second.more], [1, false]);
});
