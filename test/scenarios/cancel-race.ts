import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { lawfulEvents } from "../support/laws.ts";
import { Random } from "../support/random.ts";
import { startServer } from "../support/server.ts";

export interface RaceOptions {
  races: number;
  sessions: number;
  seed: number;
}

const JITTER_MS = 50;

/** A cancel against the turn's natural end, at random moments around it. */
export async function runCancelRaces(t: TestContext, { races, sessions, seed }: RaceOptions): Promise<void> {
  t.diagnostic(`PARLEY_SEED=${seed}`);
  const { api } = await startServer(t, { keepNative: false });
  const ends = { cancelled: 0, end_turn: 0 };
  let left = races;
  const lane = async (at: number): Promise<void> => {
    const random = new Random(seed + at);
    const { id } = await api.create();
    // A turn that is cancelled while its agent starts ends the agent, and the next one would have to start another.
    await api.ask(id, "hello");
    let begun = 1;
    while (left-- > 0) {
      begun++;
      const pending = api.ask(id, `[[slow ${random.between(0, JITTER_MS)}]]`);
      await delay(random.between(0, JITTER_MS));
      const cancel = await api.cancel(id);
      const outcome = await pending;
      assert.ok(outcome.reason === "cancelled" || outcome.reason === "end_turn", outcome.reason);
      ends[outcome.reason]++;
      const told = cancel.cancelled && cancel.turn === outcome.turn;
      assert.equal(outcome.reason, told ? "cancelled" : "end_turn", `cancel said ${JSON.stringify(cancel)}`);
      assert.equal((await api.session(id)).status, "idle");
    }
    const events = await lawfulEvents(api, id);
    assert.equal(events.filter((event) => event.type === "turn.ended").length, begun);
  };
  await Promise.all(Array.from({ length: sessions }, (_, at) => lane(at)));
  t.diagnostic(`${ends.cancelled} cancelled, ${ends.end_turn} ended by themselves`);
  assert.ok(ends.cancelled > 0 && ends.end_turn > 0, "the race was a race");
}
