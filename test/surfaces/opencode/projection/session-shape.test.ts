import assert from "node:assert/strict";
import { test } from "node:test";
import { reduceSession, type SessionState } from "../../../../src/core/session-state.ts";
import { sessionOf } from "../../../../src/surfaces/opencode/projection/session-shape.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { slugOf } from "../../../../src/surfaces/opencode/projection/slug.ts";
import { Story } from "./story.ts";

const STATE: SessionState = {
  id: "ses_1",
  agent: "house",
  directory: "/project",
  created: 0,
  updated: 5,
  turn: null,
  turns: 0,
  queue: [],
  asks: [],
  rules: [],
  plan: [],
  usage: {},
};

test("a session as OpenCode has it", () => {
  assert.deepEqual(sessionOf(STATE), {
    id: "ses_1",
    slug: slugOf("ses_1"),
    projectID: "global",
    directory: "/project",
    path: "",
    summary: { additions: 0, deletions: 0, files: 0 },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    title: "New session - 1970-01-01T00:00:00.000Z",
    agent: "build",
    model: { id: "default", providerID: "house" },
    version: "1.18.33",
    time: { created: 0, updated: 5 },
  });
});

test("a session shows the facts of its state", () => {
  const revert = { messageID: "msg_1", diff: "--- a" };
  const state: SessionState = {
    ...STATE,
    title: "Mend it",
    model: "scripted/demo",
    mode: "plan",
    parent: "ses_0",
    usage: { tokens: { input: 3, output: 2, reasoning: 1 }, cost: 0.5 },
    permissions: [{ action: "bash", pattern: "rm *", verdict: "deny" }],
    meta: { archived: 9, revert: { ...revert, cut: { from: 3, turns: ["trn_1"] } }, metadata: { a: 1 } },
  };
  assert.partialDeepStrictEqual(sessionOf(state, { projectOf: (directory) => `project of ${directory}` }), {
    projectID: "project of /project",
    parentID: "ses_0",
    title: "Mend it",
    agent: "plan",
    model: { id: "scripted/demo", providerID: "house" },
    cost: 0.5,
    tokens: { input: 3, output: 1, reasoning: 1 },
    time: { archived: 9 },
    permission: [{ permission: "bash", pattern: "rm *", action: "deny" }],
    revert,
    metadata: { a: 1 },
  });
});

test("a sub-agent without a mode is of its own kind", () => {
  const { agent, title } = sessionOf({ ...STATE, parent: "ses_0", agent: "explore" });
  assert.deepEqual([agent, title.startsWith("Child session - ")], ["explore", true]);
});

test("the slug is two words, the same each time, and differs", () => {
  assert.match(slugOf("ses_1"), /^[a-z]+-[a-z]+$/);
  const slugs = Array.from({ length: 50 }, (_, at) => slugOf(`ses_${at}`));
  assert.ok(new Set(slugs).size > 40);
});

test("a session is created once, updated by what is said of it, and deleted", () => {
  const story = new Story();
  story.world.command({ type: "update", facts: { title: "Mend it" } });
  story.world.command({ type: "closing", reason: "deleted" }).exit();
  const said = story.said().map(({ type, properties }) => [type, "info" in properties ? properties.info : undefined]);
  assert.partialDeepStrictEqual(said, [
    ["session.created", { id: "ses_test" }],
    ["session.updated", { title: "Mend it" }],
    ["session.deleted", { title: "Mend it" }],
  ]);
});

test("a session that is taken up again is not created again", () => {
  const story = new Story().prompt().say("one").end();
  story.world.exit().prompt("msg_2");
  const types = story.said().map(({ type }) => type);
  assert.equal(types.filter((type) => type === "session.created").length, 1);
});

test("the plan is the list of what is to do", () => {
  const story = new Story().prompt();
  story.world.signal({ type: "plan", entries: [{ text: "First", status: "in_progress" }] });
  const todos = story.said().find(({ type }) => type === "todo.updated");
  assert.deepEqual(todos?.properties, {
    sessionID: "ses_test",
    todos: [{ content: "First", status: "in_progress", priority: "medium" }],
  });
});

test("a view without a first event says what it lacks", () => {
  assert.throws(() => new SessionView(undefined).session(), /first event/);
  const [first] = new Story().world.events;
  assert.ok(first);
  assert.equal(new SessionView(reduceSession(undefined, first)).session().id, "ses_test");
});

test("B8 an agent's own default mode is what OpenCode calls build", () => {
  assert.equal(sessionOf({ ...STATE, mode: "default" }).agent, "build");
  assert.equal(sessionOf({ ...STATE, mode: "acceptEdits" }).agent, "acceptEdits");
});
