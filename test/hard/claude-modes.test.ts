import { test } from "node:test";
import { playSequences } from "../agents/claude/play-modes.ts";

test("over a hundred random sequences of choices, plans and the agent's own changes: no write that the mode shown forbids", (t) =>
  playSequences(t, 5, 25));
