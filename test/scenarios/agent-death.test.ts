import { test } from "node:test";
import { seedOf } from "../support/random.ts";
import { PATIENCE_MS } from "../support/time.ts";
import { runAgentDeaths } from "./agent-death.ts";

test("kill -9 of the agent 12 times in its turn: one end, an error, and the next prompt works", (t) =>
  runAgentDeaths(t, { deaths: 12, sessions: 3, seed: seedOf(), withinMs: PATIENCE_MS }));
