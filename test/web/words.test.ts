import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionState } from "../../src/core/session-state.ts";
import { type Need, needOf } from "../../web/model/needs.ts";
import { ago, duration } from "../../web/model/time.ts";

test("lengths of time have their two largest units", () => {
  const cases: [number, string][] = [
    [-5, "0 ms"],
    [850.4, "850 ms"],
    [12_900, "12 s"],
    [185_000, "3 min 5 s"],
    [180_000, "3 min"],
    [7_440_000, "2 h 4 min"],
  ];
  for (const [ms, words] of cases) assert.equal(duration(ms), words);
});

test("lists say how long ago something was", () => {
  const now = Date.UTC(2026, 0, 20);
  const cases: [number, string][] = [
    [-1_000, "now"],
    [59_000, "now"],
    [300_000, "5 min"],
    [3 * 3_600_000, "3 h"],
    [49 * 3_600_000, "2 d"],
    [8 * 86_400_000, "2026-01-12"],
  ];
  for (const [ms, words] of cases) assert.equal(ago(now - ms, now), words);
});

test("a session that blocks outranks one that was not seen", () => {
  const idle: SessionState = {
    id: "ses_1",
    agent: "house",
    directory: "/p",
    created: 1,
    updated: 10,
    turn: null,
    turns: 1,
    queue: [],
    asks: [],
    rules: [],
    plan: [],
    usage: {},
  };
  const turn = { id: "trn_1", seq: 2, by: "user", started: 5, status: { status: "running" } } as const;
  const failed: SessionState = { ...idle, lastEnd: { turn: "trn_1", reason: "error" } };
  const cases: [SessionState, number, number, Need][] = [
    [{ ...failed, turn }, 1, 0, "needs-you"],
    [{ ...failed, turn }, 0, 0, "working"],
    [failed, 0, 0, "failed"],
    [failed, 0, 10, "idle"],
    [idle, 0, 9, "unread"],
    [idle, 0, 10, "idle"],
    [{ ...idle, turns: 0 }, 0, 0, "idle"],
  ];
  for (const [state, asks, seen, need] of cases) assert.equal(needOf({ state, asks, seen }), need);
});
