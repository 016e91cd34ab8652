import { describe, test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
import { runCrashes } from "../scenarios/crash.ts";
import { seedOf } from "../support/random.ts";

const seed = seedOf();
const LANES = 4;

describe(`kill -9 of the server 200 times at random points of a turn (PARLEY_SEED=${seed})`, {
  concurrency: 2,
  skip: !onLinux && "needs /proc",
}, () => {
  for (let lane = 0; lane < LANES; lane++) {
    test(`nothing that was acknowledged is lost, no turn is left open, no agent is left behind (${lane + 1})`, (t) =>
      runCrashes(t, { kills: 200 / LANES, seed: seed + lane }));
  }
});
