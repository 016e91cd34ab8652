import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../src/client/index.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { EventPage } from "../../support/api.ts";
import { startServer } from "../../support/server.ts";

function isDelta({ type }: ParleyEvent): boolean {
  return type === "item.delta";
}

test("a stream of all sessions leaves out the deltas of all but the named ones, and nothing else", async (t) => {
  const { api } = await startServer(t);
  const [one, other] = [(await api.create()).id, (await api.create()).id];
  const streams = await Promise.all([
    api.stream(null, "?after=0"),
    api.stream(null, "?after=0&deltas=none"),
    api.stream(null, `?after=0&deltas=${one}`),
    api.stream(null, `?after=0&deltas=${one},${other}`),
  ]);
  for (const id of [one, other]) await api.ask(id, "[[flood 30]]");
  for (const stream of streams)
    await stream.event((event) => event.type === "turn.ended" && event.session === other, "the last turn's end");
  const [all, none, named, both] = streams.map(({ events }) => events.map(({ id }) => id));
  const events = streams[0]?.events ?? [];
  const without = (isGone: (event: ParleyEvent) => boolean): string[] =>
    events.filter((event) => !isGone(event)).map(({ id }) => id);
  assert.ok(events.filter(isDelta).length >= 60);
  assert.deepEqual(none, without(isDelta));
  assert.deepEqual(
    named,
    without((event) => isDelta(event) && event.session !== one),
  );
  assert.deepEqual(both, all);
  for (const stream of streams) await stream.close();
});

test("a client that comes back with any of its cursors misses nothing but what is left out", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(null, "?after=0&deltas=none");
  await api.prompt(id, "[[flood 20]] [[reasoning]] [[ask]]");
  await stream.first("permission.requested");
  const [events, ids] = [[...stream.events], [...stream.ids]];
  const last = events.at(-1)?.id;
  assert.ok(!events.some(isDelta));
  for (const [at, cursor] of ids.entries()) {
    const again = await api.stream(null, "?deltas=none", { "last-event-id": cursor });
    if (at < ids.length - 1) await again.event((event) => event.id === last, "the newest event");
    const missed = ids.slice(at + 1);
    assert.deepEqual(again.ids.slice(0, missed.length), missed, `after ${cursor}`);
    await again.close();
  }
  await api.cancel(id);
  await stream.close();
});

test("the deltas of something that is no session are refused", async (t) => {
  const { api } = await startServer(t);
  for (const deltas of ["", "all", "msg_1", "ses_a,,ses_b", "ses_a%00", `ses_a,${"x".repeat(200)}`])
    await api.refused("invalid", "GET", `/v1/stream?deltas=${deltas}`);
  await api.refused(
    "invalid",
    "GET",
    `/v1/stream?deltas=${Array.from({ length: 201 }, (_, n) => `ses_${n}`).join(",")}`,
  );
});

test("the client asks for the deltas of some sessions, live and in pages", async (t) => {
  const { api } = await startServer(t);
  const [one, other] = [(await api.create()).id, (await api.create()).id];
  const client = createClient({ url: api.url });
  for (const id of [one, other]) {
    await api.prompt(id, "[[flood 5]] [[ask]]");
    const stream = await api.stream(id);
    await stream.first("permission.requested");
    await stream.close();
  }
  const { events } = await api.expect<EventPage>(200, "GET", "/v1/events?after=0&limit=2000");
  for (const follow of [true, false]) {
    for (const deltas of [[], [other]]) {
      const wanted = events.filter((event) => !isDelta(event) || deltas.includes(event.session));
      const got: ParleyEvent[] = [];
      for await (const event of client.allEvents({ after: 0, deltas, follow })) {
        got.push(event);
        if (got.length === wanted.length) break;
      }
      assert.deepEqual(
        got.map(({ id }) => id),
        wanted.map(({ id }) => id),
      );
    }
  }
  for (const id of [one, other]) await api.cancel(id);
});
