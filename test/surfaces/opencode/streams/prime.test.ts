import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import type { Log } from "../../../../src/log/contract.ts";
import { createMemoryLog } from "../../../../src/log/memory/log.ts";
import type { Projected } from "../../../../src/surfaces/opencode/projection/outbox.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { primedView } from "../../../../src/surfaces/opencode/streams/prime.ts";
import { NaiveClient } from "../projection/naive-client.ts";
import { anyScenario, play } from "../projection/worlds.ts";

const KEEP = { turns: 0, withinMs: 0 };
/** A client is away before each event whose number is a multiple of this. */
const EACH = 11;

async function logOf(session: string, events: readonly ParleyEvent[]): Promise<Log> {
  const log = createMemoryLog();
  const hold = await log.open({ id: session });
  const entries = events.map(({ seq: _, session: __, ...draft }) => ({ draft }));
  await hold.append(0, entries);
  return log;
}

const typesOf = (projected: readonly Projected[]): string[] => projected.map(({ event }) => event.type);

/** All clients go on with views that are made from the log's newest state, and hold what a client holds that never left. */
async function checkReplays(session: string, events: readonly ParleyEvent[]): Promise<void> {
  const log = await logOf(session, events);
  const whole = new SessionView(undefined, { keep: KEEP });
  const here = new NaiveClient();
  const said = events.map((event) => whole.apply(event));
  const back: { view: SessionView; client: NaiveClient }[] = [];
  for (const [index, event] of events.entries()) {
    if (event.seq % EACH === 0) {
      const primed = await primedView(session, event.seq, { log, keep: KEEP, projectOf: () => "project" });
      assert.ok(primed);
      const client = new NaiveClient();
      for (const projected of said.slice(0, index).flat()) client.hear(projected);
      back.push({ view: primed.view, client });
    }
    for (const projected of said[index] ?? []) here.hear(projected);
    for (const { view, client } of back) {
      const replayed = view.apply(event);
      for (const projected of replayed) client.hear(projected);
      // A cursor counts the events of a number, so a client that was cut among them must find the others at the same index.
      assert.deepEqual(typesOf(replayed), typesOf(said[index] ?? []).slice(0, replayed.length));
      assert.deepEqual([...client.messages.keys()].sort(), [...here.messages.keys()].sort());
      assert.deepEqual(client.asks, here.asks);
      assert.deepEqual(client.status, here.status);
    }
  }
}

test("D6 a client that missed events and hears them later holds the same messages and asks as one that never left", () =>
  fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      for (const { events } of play(scenario)) {
        const [first] = events;
        if (first) await checkReplays(first.session, events);
      }
    }),
    { numRuns: 300, seed: 41 },
  ));
