import { test } from "node:test";
import { HARD } from "../../support/time.ts";
import { playSequences } from "./play-modes.ts";

test("random choices, plans and changes of the agent's own: no write that the mode shown forbids", (t) =>
  playSequences(t, 1, HARD ? 25 : 10));
