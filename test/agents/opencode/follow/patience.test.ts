import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Backlog } from "../../../../src/agents/opencode/follow/backlog.ts";
import { isOverdue, type Unfinished } from "../../../../src/agents/opencode/follow/patience.ts";
import { Reach } from "../../../../src/agents/opencode/follow/reach.ts";

const NOW = 1_000_000;
const ago = (seconds: number): number => NOW - seconds * 1_000;

describe("a turn that the program does not work on", () => {
  const usual: Unfinished = { now: NOW, since: NOW, given: NOW, lastEvent: NOW, hasAnswer: false, hasFailed: false };
  const cases: [what: string, turn: Partial<Unfinished>, isOver: boolean][] = [
    ["was just given", {}, false],
    ["may begin late", { since: ago(15), given: ago(15) }, false],
    ["never begins", { since: ago(21), given: ago(21) }, true],
    ["was given long ago, and looked at just now", { since: ago(1), given: ago(60) }, false],
    ["has an answer that may still end", { since: ago(4), given: ago(60), hasAnswer: true }, false],
    ["has an answer that does not end", { since: ago(6), lastEvent: ago(6), given: ago(7), hasAnswer: true }, true],
    ["has an answer of which something just came", { since: ago(6), lastEvent: ago(1), hasAnswer: true }, false],
    ["failed just now", { since: ago(3), lastEvent: ago(1), hasFailed: true }, false],
    ["failed before it began", { since: ago(3), lastEvent: ago(3), hasFailed: true }, true],
    ["was stopped just now", { since: ago(9), stopped: ago(0.5) }, false],
    ["was stopped, and looked at just now", { since: ago(0.5), stopped: ago(9), hasAnswer: true }, false],
    ["was stopped in an answer", { since: ago(2), stopped: ago(2), hasAnswer: true }, false],
    ["was stopped in an answer that does not end", { since: ago(3), stopped: ago(3), hasAnswer: true }, true],
    ["was stopped", { since: ago(2), stopped: ago(2) }, true],
  ];
  for (const [what, turn, isOver] of cases)
    test(`${what}: ${isOver ? "over" : "waited for"}`, () => assert.equal(isOverdue({ ...usual, ...turn }), isOver));
});

describe("events that wait", () => {
  const kept = (length: number): { event: object; text: string } => ({ event: {}, text: "x".repeat(length) });

  test("are kept in order, up to a size", () => {
    const backlog = new Backlog();
    const [first, second] = [kept(10), kept(20)] as never[];
    assert.ok(backlog.add(first as never) && backlog.add(second as never));
    assert.deepEqual(backlog.events, [first, second]);
    assert.ok(!backlog.add(kept(8 * 1024 * 1024) as never));
    assert.deepEqual(backlog.events, []);
    assert.ok(backlog.add(first as never), "it begins anew");
    assert.deepEqual(backlog.events, [first]);
  });
});

describe("the reach of a server", () => {
  test("is lost by questions without an answer alone", () => {
    const reach = new Reach();
    assert.ok(!reach.isLost(NOW));
    assert.ok(!reach.isLost(NOW + 30_000));
    assert.ok(reach.isLost(NOW + 30_001));
    reach.heard();
    assert.ok(!reach.isLost(NOW + 3_600_000));
  });
});
