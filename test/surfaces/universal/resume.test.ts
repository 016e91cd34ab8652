import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { reduceSession, type SessionState } from "../../../src/core/session-state.ts";
import type { Api, EventPage } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { assertNoGap, foldedEvents } from "../../support/laws.ts";
import { startServer } from "../../support/server.ts";

const RETAINED = 30;

/** The events after a cursor, up to the newest one. */
async function resumeAt(api: Api, id: string, cursor: number, last: number): Promise<ParleyEvent[]> {
  const stream = await api.stream(
    id,
    cursor % 2 === 0 ? `?after=${cursor}` : "",
    cursor % 2 === 0 ? {} : { "last-event-id": `${id}:${cursor}` },
  );
  if (cursor < last) await stream.event((event) => event.seq === last, `the event ${last} after ${cursor}`);
  await stream.close();
  return stream.events;
}

async function assertResumesEverywhere(api: Api, id: string): Promise<void> {
  const stored = await api.events(id);
  const last = stored.at(-1)?.seq ?? 0;
  for (let cursor = 0; cursor <= last; cursor++) {
    const expected = stored.filter((event) => event.seq > cursor);
    const got = await resumeAt(api, id, cursor, last);
    assert.deepEqual(got, expected, `after ${cursor}`);
    assertNoGap(got, cursor);
    assert.deepEqual((await api.page(id, `?after=${cursor}`)).events, expected, `the page after ${cursor}`);
  }
}

test("a session resumes exactly at each of its cursors, also at those whose deltas are folded", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "[[tools 2]]");
  await api.ask(id, "hello there");
  await foldedEvents(api, id);
  await assertResumesEverywhere(api, id);
});

test("so does one whose turn is open, with all its deltas", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "hello");
  await foldedEvents(api, id);
  const stream = await api.stream(id);
  await api.prompt(id, "[[reasoning]] [[ask]]");
  await stream.first("permission.requested");
  await assertResumesEverywhere(api, id);
  await api.cancel(id);
  await stream.close();
});

/** A session whose first turns are no longer kept. */
async function prunedSession(t: TestContext): Promise<{ api: Api; id: string; first: number }> {
  const { api } = await startServer(t, { retainEvents: RETAINED });
  const { id } = await api.create({ title: "Kept" });
  const begun: number[] = [];
  for (let turn = 0; turn < 6; turn++) begun.push((await api.ask(id, `[[tools 1]] ${turn}`)).receipt.seq);
  const { last } = await api.session(id);
  const first = Math.max(...begun.filter((seq) => seq <= last - RETAINED));
  await eventually("old turns are forgotten and deltas folded", async () => {
    const { events, gap } = await api.page(id, "?after=0&limit=2000");
    return gap?.first === first && !events.some((event) => event.type === "item.delta");
  });
  return { api, id, first };
}

test("a cursor past retention gets a gap with a snapshot, then the events from the first kept one", async (t) => {
  const { api, id, first } = await prunedSession(t);
  const stored = (await api.page(id, `?after=${first - 1}`)).events;
  const last = stored.at(-1)?.seq ?? 0;
  assert.equal(stored[0]?.type, "turn.started", "whole turns are forgotten");
  for (let cursor = 0; cursor < first - 1; cursor++) {
    const page = await api.page(id, `?after=${cursor}`);
    assert.deepEqual(page.events, stored, `after ${cursor}`);
    assert.equal(page.gap?.after, cursor);
    assert.equal(page.gap?.first, first);

    const stream = await api.stream(id, `?after=${cursor}`);
    await stream.event((event) => event.seq === last, "the newest event");
    const [retry, gap, next] = stream.blocks;
    assert.ok(retry?.retry);
    assert.equal(gap?.event, "gap");
    assert.equal(gap?.id, `${id}:${first - 1}`, "from which the stream goes on");
    assert.deepEqual(JSON.parse(gap?.data ?? ""), page.gap);
    assert.equal(next?.id, `${id}:${first}`);
    assert.deepEqual(stream.events, stored);
    await stream.close();
  }
  for (const cursor of [first - 1, first]) {
    assert.equal((await api.page(id, `?after=${cursor}`)).gap, undefined, `${cursor} is a good cursor`);
  }
});

test("a snapshot and the events after it give the session as it is", async (t) => {
  const { api, id } = await prunedSession(t);
  const { events, gap } = await api.page(id, "?after=0&limit=2000");
  assert.ok(gap);
  const { status, ...snapshot } = gap.snapshot;
  assert.equal(status, "idle");
  let state: SessionState = snapshot;
  for (const event of events) state = reduceSession(state, event);
  const { status: _, last, first, ...now } = await api.session(id);
  assert.equal(events.at(-1)?.seq, last);
  assert.equal(events[0]?.seq, first);
  assert.deepEqual(state, now);
});

test("the stream of all sessions just skips what is no longer kept", async (t) => {
  const { api, id, first } = await prunedSession(t);
  const { events } = await api.expect<EventPage>(200, "GET", "/v1/events?after=0&limit=2000");
  assert.deepEqual(events, (await api.page(id, `?after=${first - 1}&limit=2000`)).events);
});
