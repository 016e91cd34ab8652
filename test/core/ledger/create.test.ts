import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../../../src/core/events/event.ts";
import { type Create, newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";

const context = { now: 5, id: (kind: string) => `${kind}_1` };
const started = { agent: "house", directory: "/work", version: 1 };

function create(fork?: Create["fork"]) {
  const command: Create = { type: "create", started, source: "parley", ...(fork ? { fork } : {}) };
  return step(newLedger("house", "/work", {}), { command }, context);
}

test("the first command of a session says that it started, and nothing else", () => {
  const { state, events, effects } = create();
  assert.deepEqual(events, [{ type: "session.started", time: 5, source: "parley", data: started }]);
  assert.deepEqual([effects, state.begun, state.agent], [[], false, "house"]);
});

test("a fork has the history of the other session before its first prompt, and is said to be new after it", () => {
  const turn = { turn: "trn_1", time: 1, source: "parley" } as const;
  const prompt = { id: "msg_1", parts: [] };
  const history: Draft[] = [
    { ...turn, type: "turn.started", data: { by: "user", prompt } },
    { ...turn, type: "turn.ended", data: { reason: "end_turn", tell: "The user ran a command." } },
  ];
  const { state, events, effects } = create({ history, facts: { title: "Old (fork #1)" } });
  assert.deepEqual(
    events.map(({ type, time }) => [type, time]),
    [
      ["session.started", 5],
      ["turn.started", 1],
      ["turn.ended", 1],
      ["session.updated", 5],
    ],
  );
  assert.deepEqual(effects, [], "turns that are copied are not run again");
  assert.deepEqual([state.begun, state.turn, state.lastPrompt], [true, null, "msg_1"]);
  assert.equal(state.facts.title, "Old (fork #1)");
  assert.deepEqual(
    state.untold.map(({ turn: of }) => of),
    ["trn_1"],
  );
});
