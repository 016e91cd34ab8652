import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentInfo, LabelledRow } from "../../src/client/index.ts";
import { fits, groupsOf, type Placed } from "../../web/model/board.ts";
import type { Need } from "../../web/model/needs.ts";
import { chosenAgent, optionsFor, usableAgents } from "../../web/model/new-session.ts";
import { allTokens, barsOf, costWords, dayBefore, everyDay } from "../../web/model/usage.ts";

function placed(id: string, need: Need, updated: number, directory = "/p", agent = "claude"): Placed {
  return { id, need, state: { title: `Title ${id}`, directory, agent, model: "opus", updated } };
}

const SESSIONS = [
  placed("one", "idle", 5, "/a"),
  placed("two", "needs-you", 1, "/b", "codex"),
  placed("three", "working", 9, "/a"),
  placed("four", "idle", 7, "/b", "codex"),
];

test("the board's groups are as urgent as their most urgent session", () => {
  const shape = (order: Parameters<typeof groupsOf>[1]) =>
    groupsOf(SESSIONS, order).map(({ name, sessions }) => [name, sessions.map(({ id }) => id)]);
  assert.deepEqual(shape("need"), [
    ["Needs you", ["two"]],
    ["Working", ["three"]],
    ["Idle", ["four", "one"]],
  ]);
  assert.deepEqual(shape("directory"), [
    ["/b", ["two", "four"]],
    ["/a", ["three", "one"]],
  ]);
  assert.deepEqual(shape("agent"), [
    ["codex", ["two", "four"]],
    ["claude", ["three", "one"]],
  ]);
});

test("a filter of the board takes each word from anything that is seen", () => {
  const cases: [string, boolean][] = [
    ["title", true],
    ["CODEX /b", true],
    ["opus two", true],
    ["codex /a", false],
  ];
  for (const [text, fit] of cases) assert.equal(fits(placed("two", "idle", 1, "/b", "codex"), text), fit, text);
});

function agent(name: string, more: object = {}): AgentInfo {
  return { name, installed: true, default: false, models: [], modes: [], ...more } as unknown as AgentInfo;
}

test("a new session has the agent that was named, else the default one, of those that are installed", () => {
  const all = [agent("a"), agent("b", { installed: false }), agent("c", { default: true })];
  assert.deepEqual(
    usableAgents(all).map(({ name }) => name),
    ["c", "a"],
  );
  assert.equal(chosenAgent(all, "a")?.name, "a");
  assert.equal(chosenAgent(all, "b")?.name, "c");
  assert.equal(chosenAgent(all, undefined)?.name, "c");
  assert.equal(chosenAgent([], "a"), undefined);
});

test("options of a model count before those of its agent", () => {
  const option = (id: string, name: string) => ({ id, name, kind: "boolean" as const });
  const models = [{ id: "m1", options: [option("effort", "m1's")] }, { id: "m2" }];
  const info = agent("a", { models, defaultModel: "m2", options: [option("effort", "agent's"), option("web", "web")] });
  const names = (model: string) => optionsFor(info, model).map(({ name }) => name);
  assert.deepEqual(names("m1"), ["m1's", "web"]);
  assert.deepEqual(names(""), ["agent's", "web"]);
  assert.deepEqual(names("unknown"), ["agent's", "web"]);
});

function row(key: string, input: number, output: number, more: Partial<LabelledRow> = {}): LabelledRow {
  const tokens = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: output };
  return { key, turns: 1, tokens, cost: { usd: 1, source: "agent", unknownTurns: 0 }, ...more } as LabelledRow;
}

test("days without turns are in the plot, and reasoning is counted once", () => {
  assert.equal(allTokens(row("x", 3, 1)), 4);
  const bars = barsOf({ by: "day", rows: [row("2026-03-01", 3, 1), row("2026-02-27", 1, 1)] });
  assert.deepEqual(
    bars.map(({ key, parts }) => [key, parts.reduce((sum, { share }) => sum + share, 0)]),
    [
      ["2026-02-27", 0.5],
      ["2026-02-28", 0],
      ["2026-03-01", 1],
    ],
  );
  assert.deepEqual(barsOf({ by: "day", rows: [] }), []);
  assert.equal(everyDay("2020-01-01", "2026-01-01").length, 400);
  assert.equal(dayBefore(new Date("2026-03-01T12:00:00Z"), 1), "2026-02-28");
});

test("bars are named by what people know", () => {
  const rows = [row("ses_1", 1, 1, { label: "A title" }), row("ses_2", 1, 1, { deleted: true }), row("", 1, 1)];
  assert.deepEqual(
    barsOf({ by: "session", rows }).map(({ name }) => name),
    ["A title", "ses_2 (deleted)", "not known"],
  );
});

test("a cost that nobody knows is never 0", () => {
  const words = (usd: number | null, unknownTurns: number) =>
    costWords(row("x", 1, 1, { cost: { usd, source: "mixed", unknownTurns } }), (value) => `$${value}`);
  assert.equal(words(null, 2), "unknown");
  assert.equal(words(0.5, 1), "$0.5 + unknown");
  assert.equal(words(0.5, 0), "$0.5");
});
