import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { EventPage } from "../../support/api.ts";
import { assertNoGap, foldedEvents } from "../../support/laws.ts";
import { startServer } from "../../support/server.ts";

test("events come in pages of any size, the same in each, without a gap", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "[[tools 3]]");
  await api.ask(id, "hello");
  const whole = await foldedEvents(api, id);
  assertNoGap(whole);
  assert.ok(whole.length > 15);
  for (const limit of [1, 2, 7, whole.length, whole.length + 1]) {
    assert.deepEqual(await api.events(id, limit), whole, `pages of ${limit}`);
  }
  const last = whole.at(-1)?.seq ?? 0;
  assert.deepEqual(await api.page(id, `?after=${last}`), { events: [], next: last, more: false });
  assert.deepEqual(await api.page(id, "?after=latest"), { events: [], next: last, more: false });
  assert.deepEqual(
    (await api.page(id, `?after=${whole[3]?.id}&limit=1`)).events,
    [whole[4]],
    "an event's id is a cursor",
  );
});

test("while a turn lives its deltas are there; afterwards the completed item holds them", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[flood 300]] [[ask]]");
  await stream.first("permission.requested");
  const open = await api.events(id);
  assertNoGap(open);
  assert.ok(open.every((event) => event.folded === undefined));
  assert.equal(open.filter((event) => event.type === "item.delta").length, 300);
  await api.cancel(id);
  const folded = await foldedEvents(api, id);
  assertNoGap(folded);
  assert.equal(folded.find((event) => event.folded)?.folded, 300);
  const text = folded.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.role === "assistant"
      ? [event.data.item.text]
      : [],
  );
  assert.match(text[0] ?? "", /^word 1 word 2 .*word 300 $/);
  await stream.close();
});

test("the agent's own line comes with the event that it caused, on request", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "[[tools 1]]");
  const plain = await foldedEvents(api, id);
  assert.ok(plain.every((event) => !("native" in event)));
  const { events } = await api.page(id, "?native=true");
  assert.deepEqual(
    events.map(({ native: _, ...event }) => event),
    plain,
  );
  const lines = events.flatMap((event) =>
    event.native === undefined ? [] : [JSON.parse(String(event.native)) as { type: string }],
  );
  assert.ok(lines.some((line) => line.type === "tool.done"));
  const stream = await api.stream(id, "?native=true");
  await stream.first("turn.ended");
  assert.deepEqual(stream.events, events, "the same on a stream");
  const live = await api.stream(id, "?native=true&after=latest");
  await api.ask(id, "[[tools 1]]");
  await live.first("turn.ended");
  const natives = live.events.map((event) => event.native);
  assert.ok(
    natives.some((line) => typeof line === "string" && line.includes('"tool.done"')),
    "and while it happens",
  );
  await stream.close();
  await live.close();
});

test("without native lines in the log nothing is promised of them", async (t) => {
  const { api } = await startServer(t, { keepNative: false });
  const { id } = await api.create();
  await api.ask(id, "hello");
  assert.ok((await api.page(id, "?native=true")).events.every((event) => event.native === undefined));
});

test("the events of all sessions come in the order in which they were stored", async (t) => {
  const { api } = await startServer(t);
  const made = [await api.create(), await api.create(), await api.create()];
  const stored = new Map<string, ParleyEvent[]>();
  await Promise.all(
    made.map(async ({ id }) => {
      await api.ask(id, "[[tools 2]]");
      stored.set(id, await foldedEvents(api, id));
    }),
  );
  const all: ParleyEvent[] = [];
  for (let next = 0; ; ) {
    const page = await api.expect<EventPage>(200, "GET", `/v1/events?after=${next}&limit=10`);
    all.push(...page.events);
    if (!page.more) break;
    assert.ok(page.next > next);
    next = page.next;
  }
  for (const { id } of made) {
    const own = all.filter((event) => event.session === id);
    assert.deepEqual(own, stored.get(id));
    assertNoGap(own);
  }
  assert.deepEqual(
    await api.expect(200, "GET", "/v1/events?after=latest").then((page) => (page as EventPage).events),
    [],
  );
});

test("a cursor that means nothing here gets 400 and says why", async (t) => {
  const { api } = await startServer(t);
  const { id, last } = await api.create();
  const other = await api.create();
  await api.ask(other.id, "hello");
  const rows: [cursor: string, reason: string, says: RegExp][] = [
    ["yesterday", "malformed", /expected a cursor like/],
    ["-1", "malformed", /expected a cursor like/],
    ["1.5", "malformed", /expected a cursor like/],
    ["", "malformed", /expected a cursor like/],
    ["9999999999999999", "malformed", /expected a cursor like/],
    [`${id}:`, "malformed", /expected a cursor like/],
    [`${other.id}:1`, "other_stream", /cursor of the stream.*leave it out/],
    ["all:1", "other_stream", /cursor of the stream/],
    [`${id}:2`, "future", /after the last number, 1/],
    ["999999999", "future", /after the last number, 1/],
  ];
  for (const [cursor, reason, says] of rows) {
    const query = `?after=${encodeURIComponent(cursor)}`;
    for (const path of [`/v1/sessions/${id}/events${query}`, `/v1/sessions/${id}/stream${query}`]) {
      const problem = await api.refused("bad_cursor", "GET", path);
      assert.match(problem.detail, says, path);
      assert.equal(problem.reason, reason);
      assert.equal(problem.last, last);
    }
    if (cursor === "") continue;
    const headers = { "last-event-id": cursor };
    await api.refused("bad_cursor", "GET", `/v1/sessions/${id}/stream?after=0`, undefined, { headers });
  }
  for (const cursor of [`${id}:1`, "all:99999", "x"]) {
    for (const path of ["/v1/events", "/v1/stream"]) {
      await api.refused("bad_cursor", "GET", `${path}?after=${cursor}`);
    }
    await api.refused("bad_cursor", "GET", "/v1/stream", undefined, { headers: { "last-event-id": cursor } });
  }
});
