import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isOverdue, type Unfinished } from "../../../src/agents/opencode/follow/patience.ts";

const NOW = 100_000;
const ago = (ms: number): number => NOW - ms;
const base: Unfinished = {
  now: NOW,
  since: ago(6_000),
  given: ago(8_000),
  lastEvent: ago(6_000),
  hasAnswer: false,
  hasFailed: false,
};

describe("how long a turn is waited for that the program does not work on", () => {
  const cases: [string, Partial<Unfinished>, boolean][] = [
    ["not begun, given a moment ago", {}, false],
    ["not begun, given long ago", { given: ago(21_000) }, true],
    ["not begun, and only now seen idle", { given: ago(21_000), since: ago(100) }, false],
    ["begun and left unfinished", { hasAnswer: true }, true],
    ["begun just now, after the program was asked", { hasAnswer: true, lastEvent: ago(10) }, false],
    ["begun, and only now seen idle", { hasAnswer: true, since: ago(10) }, false],
    ["refused with an error", { hasFailed: true }, true],
    ["refused with an error just now", { hasFailed: true, lastEvent: ago(500) }, false],
    ["stopped before", { stopped: ago(2_000) }, true],
    ["stopped just now", { stopped: ago(500) }, false],
  ];
  for (const [what, facts, isOver] of cases)
    test(`${what}: ${isOver ? "given up" : "waited for"}`, () =>
      assert.equal(isOverdue({ ...base, ...facts }), isOver));
});
