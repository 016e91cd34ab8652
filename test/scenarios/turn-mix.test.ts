import { test } from "node:test";
import { seedOf } from "../support/random.ts";
import { runTurnMix } from "./turn-mix.ts";

test("120 turns of all kinds: each is busy once and idle once, and nothing of it comes later", (t) =>
  runTurnMix(t, { turns: 120, sessions: 6, seed: seedOf() }));
