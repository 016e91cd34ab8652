import { test } from "node:test";
import { runAgentDeaths } from "../scenarios/agent-death.ts";
import { runAnyOrder } from "../scenarios/any-order.ts";
import { runCancelRaces } from "../scenarios/cancel-race.ts";
import { runTurnMix } from "../scenarios/turn-mix.ts";
import { seedOf } from "../support/random.ts";

test("10,000 turns of all kinds: each is busy once and idle once, and nothing of it comes later", (t) =>
  runTurnMix(t, { turns: 10_000, sessions: 8, seed: seedOf() }));

test("a cancel raced against the natural end, 1,000 times: one end, and the cancel says which", (t) =>
  runCancelRaces(t, { races: 1_000, sessions: 4, seed: seedOf() }));

test("kill -9 of the agent 200 times in its turn: one end within 500 ms, an error, and the next prompt works", (t) =>
  runAgentDeaths(t, { deaths: 200, sessions: 2, seed: seedOf(), withinMs: 500 }));

test("5,000 requests of all sorts to the same sessions at once: each is answered as described, and the laws hold", (t) =>
  runAnyOrder(t, { requests: 5_000, clients: 12, seed: seedOf() }));
