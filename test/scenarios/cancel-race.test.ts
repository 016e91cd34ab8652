import { test } from "node:test";
import { seedOf } from "../support/random.ts";
import { runCancelRaces } from "./cancel-race.ts";

test("a cancel raced against the natural end, 40 times: one end, and the cancel says which", (t) =>
  runCancelRaces(t, { races: 40, sessions: 4, seed: seedOf() }));
