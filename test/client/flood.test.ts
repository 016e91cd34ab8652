import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type ParleyEvent, type SessionHandle, type StreamEvent } from "../../src/client/index.ts";
import { checkLaws } from "../../src/core/ledger/laws.ts";
import { followsOn } from "../../src/log/cursor.ts";
import { eventually } from "../support/eventually.ts";
import { firstOf } from "../support/time.ts";
import { type Fate, startProxy } from "./cutting-proxy.ts";
import { quick, seeded, startServer } from "./support.ts";

/**
 * Cuts connections within the head of an answer, or after up to 800 kB: mostly soon, but not always, because the completed
 * item of the flood alone takes 250 kB and must get through whole.
 */
function unsteady(seed: number): (connection: number) => Fate {
  const random = seeded(seed);
  return () => {
    const bytes = random() < 0.1 ? random() * 400 : random() ** 6 * 800_000;
    return { bytes: Math.floor(bytes), how: random() < 0.5 ? "fin" : "reset" };
  };
}

/** Every number once and in order, from 1 to the last one, where folded ones count as seen. */
function assertWhole(events: readonly StreamEvent[], last: number): void {
  let cursor = 0;
  for (const event of events) {
    assert.notEqual(event.type, "gap");
    const { seq, folded = 0 } = event as ParleyEvent;
    assert.ok(followsOn(cursor, { seq, folded }), `${seq} (folded ${folded}) after ${cursor}`);
    cursor = seq;
  }
  assert.equal(cursor, last);
  const broken = checkLaws(events as ParleyEvent[], { final: true })
    .map(({ law, seq, message }) => `law ${law} at ${seq}: ${message.slice(0, 100)}`)
    // A client that was away while deltas were folded has some of them and the whole text, which the laws cannot compare.
    .filter((violation) => !/^law 4 at \d+: item \S+ ended as/.test(violation));
  assert.deepEqual(broken, []);
}

async function readUntil(session: SessionHandle, turns: number) {
  const seen: StreamEvent[] = [];
  const events = session.events();
  let ended = 0;
  for await (const event of events) {
    seen.push(event);
    if (event.type === "turn.ended" && ++ended === turns) break;
  }
  return { seen, cursor: events.cursor };
}

const PROMPTS = ["hello", "[[flood 20000]]", "[[tools]]", "[[reasoning]]", "[[error]]", "[[plan]]", "[[flood 3000]]"];

for (const seed of firstOf([1, 2, 3], 1)) {
  test(`nothing is lost or repeated while connections are cut all the time (seed ${seed})`, {
    timeout: 120_000,
  }, async () => {
    await using server = await startServer();
    await using proxy = await startProxy(server.port, unsteady(seed));
    const direct = createClient({ url: server.url });
    const client = createClient({ url: proxy.url, backoff: quick, retries: 50 });
    const { id } = await direct.sessions.create();

    const readers = [1, 2, 3].map(() => readUntil(client.session(id), PROMPTS.length));
    // Prompts go over the same bad line: each is one turn however often it was sent.
    for (const text of PROMPTS) await client.session(id).prompt(text, { wait: true });

    const { last, turns } = await direct.session(id).get();
    assert.equal(turns, PROMPTS.length);
    for (const { seen, cursor } of await Promise.all(readers)) {
      assertWhole(seen, last);
      assert.equal(cursor, `${id}:${last}`);
    }
    assert.ok(proxy.cuts > 20, `expected many cuts, got ${proxy.cuts}`);

    const later: StreamEvent[] = [];
    for await (const event of client.session(id).events({ follow: false })) later.push(event);
    assertWhole(later, last);
  });
}

test("a reader whose next deltas are folded while it is away goes on without a hole", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url });
  const session = client.session(await client.sessions.create());
  const receipt = await session.prompt("[[flood 5000]]");
  const seen: StreamEvent[] = [];
  for await (const event of session.events()) {
    seen.push(event);
    if (seen.length === 500) break;
  }
  const after = seen.at(-1)?.id ?? "";
  await session.turn(receipt).outcome();
  await eventually(
    "the turn is folded",
    async () => (await session.page({ after, limit: 1 })).events[0]?.folded !== undefined,
  );
  for await (const event of session.events({ after, follow: false })) seen.push(event);
  assert.ok(seen.length < 5_000);
  assertWhole(seen, (await session.get()).last);
});
