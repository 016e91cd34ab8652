import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, type ParleyEvent, type StreamEvent } from "../../src/client/index.ts";
import { checkLaws } from "../../src/core/ledger/laws.ts";
import { followsOn } from "../../src/log/cursor.ts";
import { type Fate, startProxy } from "./cutting-proxy.ts";
import { quick, seeded, startServer } from "./support.ts";

/** Cuts connections after between 0 and 60 kB, one in ten within the head of the answer. */
function unsteady(seed: number): (connection: number) => Fate {
  const random = seeded(seed);
  return () => {
    const early = random() < 0.1;
    return { bytes: Math.floor(random() * (early ? 400 : 60_000)), how: random() < 0.5 ? "fin" : "reset" };
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
  assert.deepEqual(checkLaws(events as ParleyEvent[], { final: true }), []);
}

const PROMPTS = ["hello", "[[flood 20000]]", "[[tools]]", "[[reasoning]]", "[[error]]", "[[plan]]", "[[flood 3000]]"];

for (const seed of [1, 2, 3]) {
  test(`nothing is lost or repeated while connections are cut all the time (seed ${seed})`, { timeout: 120_000 }, async () => {
    await using server = await startServer();
    await using proxy = await startProxy(server.port, unsteady(seed));
    const direct = createClient({ url: server.url });
    const client = createClient({ url: proxy.url, backoff: quick, retries: 50 });
    const { id } = await direct.sessions.create();

    const seen: StreamEvent[] = [];
    const events = client.session(id).events();
    const reading = (async () => {
      let ended = 0;
      for await (const event of events) {
        seen.push(event);
        if (event.type === "turn.ended" && ++ended === PROMPTS.length) break;
      }
    })();
    // Prompts go over the same bad line: each is one turn however often it was sent.
    for (const text of PROMPTS) await client.session(id).prompt(text, { wait: true });
    await reading;

    const { last, turns } = await direct.session(id).get();
    assert.equal(turns, PROMPTS.length);
    assertWhole(seen, last);
    assert.equal(events.cursor, `${id}:${last}`);
    assert.ok(proxy.cuts > 50, `expected many cuts, got ${proxy.cuts}`);

    const later: StreamEvent[] = [];
    for await (const event of client.session(id).events({ follow: false })) later.push(event);
    assertWhole(later, last);
  });
}

test("a reader in the middle of a turn whose deltas are folded meanwhile goes on without a hole", async () => {
  await using server = await startServer();
  const session = createClient({ url: server.url }).session(await createClient({ url: server.url }).sessions.create());
  const seen: StreamEvent[] = [];
  const run = session.run("[[flood 5000]]");
  for await (const event of run) {
    if (event.seq > 1_000) break;
  }
  for await (const event of session.events()) {
    seen.push(event);
    if (seen.length === 500) break;
  }
  const { turn = "" } = (await session.get()).turn ? { turn: (await session.get()).turn?.id } : {};
  await server.parley.gateway.ended(session.id, turn);
  await server.parley.gateway.log.fold(session.id, (await session.get()).last);
  let folded = 0;
  for await (const event of session.events({ after: seen.at(-1)?.id, follow: false })) {
    seen.push(event);
    folded += (event as ParleyEvent).folded ?? 0;
  }
  assert.ok(folded > 0);
  assertWhole(seen, (await session.get()).last);
});
