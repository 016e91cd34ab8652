import { describe, test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
import { seedOf } from "../support/random.ts";
import { runCrashes } from "./crash.ts";

const seed = seedOf();
const LANES = 2;
const KILLS = 10;

describe(`kill -9 of the server ${KILLS} times at random points of a turn (PARLEY_SEED=${seed})`, {
  concurrency: LANES,
  skip: !onLinux && "needs /proc",
}, () => {
  for (let lane = 0; lane < LANES; lane++) {
    test(`nothing that was acknowledged is lost, no turn is left open, no agent is left behind (${lane + 1})`, (t) =>
      runCrashes(t, { kills: KILLS / LANES, seed: seed + lane }));
  }
});
