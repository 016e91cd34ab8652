import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { anyRates } from "../../../support/chaos/faults.ts";
import { Random, seedOf } from "../../../support/random.ts";
import { HARD } from "../../../support/time.ts";
import { playAll } from "../../replay/replay.ts";
import { FaultyReplay } from "./faulty-replay.ts";
import { recordings, restAfter } from "./recordings.ts";
import { OpenCodeReplay } from "./replay.ts";
import { keptIn, toldIn } from "./transcript.ts";

const RUNS = HARD ? 500 : 12;

/** Its client gives a second command, which fails, before it can have heard of the first one's end. */
const HASTY = "i-command";

describe("whatever of the events is lost, repeated, late or out of order", () => {
  for (const name of recordings.names()) {
    const rest = restAfter(name);
    if (!rest || name === HASTY) continue;
    test(`${name}: the transcript is the one that OpenCode keeps, and each turn ends once`, () => {
      const lines = recordings.read(name);
      const whole = playAll(new OpenCodeReplay(), lines);
      const seed = seedOf();
      for (let run = 0; run < RUNS; run++) {
        const where = `PARLEY_SEED=${seed + run}`;
        const random = new Random(seed + run);
        const played = playAll(new FaultyReplay(random, anyRates(random)), lines);
        for (const world of played.worlds()) assert.deepEqual(world.broken(), [], where);
        assert.deepEqual(toldIn(played.root.events), keptIn(rest.messages), where);
        const ends = (replay: OpenCodeReplay): unknown[] => replay.root.of("turn.ended").map(({ data }) => data.reason);
        assert.deepEqual(ends(played), ends(whole), where);
        for (const [id, { world }] of played.children)
          assert.deepEqual(toldIn(world.events), toldIn(whole.children.get(id)?.world.events ?? []), where);
        assert.equal(played.children.size, whole.children.size, where);
      }
    });
  }
});
