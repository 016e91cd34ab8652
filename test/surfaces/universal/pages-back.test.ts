import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { SessionState } from "../../../src/core/session-state.ts";
import type { Gateway } from "../../../src/gateway/gateway.ts";
import type { EventRecord } from "../../../src/log/contract.ts";
import type { Gap } from "../../../src/surfaces/universal/events/cursor.ts";
import { pageBack, pageOf } from "../../../src/surfaces/universal/events/page.ts";
import type { Api, EventPage } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { foldedEvents } from "../../support/laws.ts";
import { startServer } from "../../support/server.ts";

interface BackPage {
  events: ParleyEvent[];
  previous: number | null;
  gap?: EventPage["gap"];
}

function back(api: Api, id: string, query: string): Promise<BackPage> {
  return api.expect(200, "GET", `/v1/sessions/${id}/events?${query}`);
}

/** All events of a session, read backwards. */
async function eventsBack(api: Api, id: string, limit: number): Promise<ParleyEvent[]> {
  const all: ParleyEvent[] = [];
  for (let before: number | string | null = "latest"; before !== null; ) {
    const page: BackPage = await back(api, id, `before=${before}&limit=${limit}`);
    all.unshift(...page.events);
    before = page.previous;
  }
  return all;
}

const SESSION = "ses_a";
const state = {
  id: SESSION,
  agent: "scripted",
  directory: "/",
  asks: [],
  queue: [],
  turn: null,
} as unknown as SessionState;

type Fate = "kept" | "folded" | "damaged";

/** A gateway over a log whose numbers were kept, folded or damaged as told; those before the first were pruned. */
function gatewayOf(fates: readonly Fate[], first: number): Gateway {
  const records: EventRecord[] = [];
  let folded = 0;
  for (const [at, fate] of fates.entries()) {
    const seq = first + at;
    if (fate === "kept") records.push({ session: SESSION, seq, type: "turn.status", json: `{"seq":${seq}}`, folded });
    folded = fate === "folded" ? folded + 1 : 0;
  }
  const last = first + fates.length - 1;
  const head = { state, first, last };
  const log = {
    head: async () => head,
    base: async () => (first > 1 ? { first, state } : undefined),
    read: async (_: string, { after, limit }: { after: number; limit: number }) =>
      records.filter(({ seq }) => seq > after).slice(0, limit),
    readBack: async (_: string, { before, limit }: { before: number; limit: number }) =>
      records.filter(({ seq }) => seq < before).slice(-limit),
  };
  return { head: log.head, log } as unknown as Gateway;
}

/** Numbers, and gaps where they are told. */
type Told = (number | [after: number, first: number])[];

function told(records: readonly EventRecord[], gap: Gap | undefined): Told {
  return [...(gap ? [[gap.after, gap.first] as [number, number]] : []), ...records.map(({ seq }) => seq)];
}

async function forwards(gateway: Gateway, limit: () => number): Promise<Told> {
  const all: Told = [];
  for (let after = 0; ; ) {
    const { records, next, more, gap } = await pageOf(gateway, SESSION, String(after), { limit: limit() });
    all.push(...told(records, gap));
    if (!more) return all;
    after = next;
  }
}

async function backwards(gateway: Gateway, limit: () => number): Promise<Told> {
  const all: Told = [];
  for (let before: number | string | null = "latest"; before !== null; ) {
    const most = limit();
    const { records, previous, gap } = await pageBack(gateway, SESSION, String(before), { limit: most });
    assert.ok(records.length <= most);
    assert.ok(previous === null || typeof before === "string" || previous < before, "each page is older");
    all.unshift(...told(records, gap));
    before = previous;
  }
  return all;
}

test("pages backwards put together are the pages forwards, whatever is folded, damaged or pruned", async () => {
  const fate = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Fate>("kept") },
    { weight: 2, arbitrary: fc.constant<Fate>("folded") },
    { weight: 1, arbitrary: fc.constant<Fate>("damaged") },
  );
  const log = fc.record({
    // The last event of a session is never folded: the item that it belongs to is open.
    fates: fc.tuple(fc.array(fate, { maxLength: 30 }), fc.constantFrom<Fate>("kept", "damaged")),
    first: fc.constantFrom(1, 1, 8),
    limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(log, async ({ fates: [some, end], first, limits }) => {
      const gateway = gatewayOf([...some, end], first);
      let asked = 0;
      const limit = (): number => limits[asked++ % limits.length] ?? 1;
      assert.deepEqual(await backwards(gateway, limit), await forwards(gateway, limit));
    }),
    { numRuns: 2_000 },
  );
});

test("a session's newest events come first, in pages of any size, down to its first one", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.ask(id, "[[tools 3]]");
  await api.ask(id, "hello");
  const whole = await foldedEvents(api, id);
  const last = whole.at(-1)?.seq ?? 0;
  for (const limit of [1, 2, 7, whole.length - 1, whole.length, whole.length + 1])
    assert.deepEqual(await eventsBack(api, id, limit), whole, `pages of ${limit}`);
  assert.deepEqual((await back(api, id, "before=latest&limit=1")).events, [whole.at(-1)]);
  assert.deepEqual((await back(api, id, `before=${last + 1}&limit=1`)).events, [whole.at(-1)]);
  const page = await back(api, id, `before=${whole[4]?.id}&limit=2`);
  assert.deepEqual([page.events, page.previous], [[whole[2], whole[3]], whole[2]?.seq], "an event's id is a cursor");
  for (const start of [0, 1]) assert.deepEqual(await back(api, id, `before=${start}`), { events: [], previous: null });
  assert.ok((await back(api, id, "before=latest&native=true")).events.some((event) => "native" in event));
});

test("a number that is none, lies in the future or comes with another cursor is refused", async (t) => {
  const { api } = await startServer(t);
  const { id, last } = await api.create();
  const path = `/v1/sessions/${id}/events`;
  const late = await api.refused("bad_cursor", "GET", `${path}?before=${last + 2}`);
  assert.deepEqual([late.reason, late.last], ["future", last]);
  assert.equal((await api.refused("bad_cursor", "GET", `${path}?before=-1`)).reason, "malformed");
  assert.equal((await api.refused("bad_cursor", "GET", `${path}?before=ses_other:1`)).reason, "other_stream");
  await api.refused("invalid", "GET", `${path}?before=1&after=0`);
  await api.refused("invalid", "GET", `${path}?before=1&limit=2001`);
  await api.refused("session_not_found", "GET", "/v1/sessions/ses_none/events?before=latest");
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  await api.refused("session_not_found", "GET", `${path}?before=latest`);
});

test("a page may begin inside of an open turn, among its deltas", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[flood 40]] [[ask]]");
  await stream.first("permission.requested");
  const open = await api.events(id);
  assert.deepEqual(await eventsBack(api, id, 3), open);
  assert.ok((await back(api, id, "before=latest&limit=6")).events.some((event) => event.type === "item.delta"));
  await api.cancel(id);
  await stream.close();
});

test("the oldest page of a session whose first turns were pruned tells the gap", async (t) => {
  const { api } = await startServer(t, { retainEvents: 20 });
  const { id } = await api.create();
  for (let turn = 0; turn < 5; turn++) await api.ask(id, `[[tools 1]] ${turn}`);
  await eventually("old turns are forgotten and deltas folded", async () => {
    const { events, gap } = await api.page(id, "?after=0&limit=2000");
    return gap !== undefined && gap.first > 2 && !events.some((event) => event.type === "item.delta");
  });
  const forward = await api.page(id, "?after=0&limit=2000");
  const newest = await back(api, id, "before=latest&limit=5");
  assert.equal(newest.gap, undefined);
  const oldest = await back(api, id, "before=latest&limit=2000");
  assert.deepEqual(oldest, { events: forward.events, previous: null, gap: forward.gap });
  assert.deepEqual(await eventsBack(api, id, 4), forward.events);
});
