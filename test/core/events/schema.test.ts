import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownType, parseEvent } from "../../../src/core/events/event.ts";
import { eventJsonSchema } from "../../../src/core/events/json-schema.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "../ledger/world.ts";

const envelope = { id: "ses_1:1", seq: 1, session: "ses_1", time: 5, source: "agent" };

test("an event of a known type is read, and fields that a newer Parley added are kept", () => {
  const event = {
    ...envelope,
    type: "turn.ended",
    turn: "trn_1",
    data: { reason: "end_turn", mood: "good" },
    colour: "blue",
  };
  assert.deepEqual(parseEvent(event), event);
});

test("an event of a type that only a newer Parley knows is kept as it came", () => {
  const event = { ...envelope, type: "weather.changed", data: { sky: ["grey"] } };
  assert.equal(isKnownType(event.type), false);
  assert.deepEqual(parseEvent(event), event);
});

for (const [what, event] of [
  ["without a number", { ...envelope, seq: undefined, type: "error", data: { code: "x", message: "y" } }],
  ["with number 0", { ...envelope, seq: 0, type: "error", data: { code: "x", message: "y" } }],
  ["with an unknown end reason", { ...envelope, type: "turn.ended", data: { reason: "because" } }],
  ["with an item of no kind", { ...envelope, type: "item.started", data: { item: { id: "prt_1" } } }],
  ["from nobody", { ...envelope, source: "elsewhere", type: "plan.updated", data: { entries: [] } }],
] as const) {
  test(`an event ${what} is refused`, () => {
    assert.throws(() => parseEvent(event), { name: "ZodError" });
  });
}

test("everything the ledger says fits the schema", () => {
  const world = new World({ step, newLedger, restore }).prompt("p");
  world.signal({ type: "session", nativeId: "n", model: "m", title: "t", mode: "plan" });
  world
    .signal({ type: "text", item: "r", kind: "reasoning", delta: "hm" })
    .signal({ type: "text.replaced", item: "r", text: "aha" });
  world.signal({ type: "text", item: "m", kind: "message", delta: "Hi" });
  world
    .signal({ type: "tool.seen", call: "c", name: "edit", inputDelta: "{" })
    .signal({ type: "tool.running", call: "c", input: { a: 1 } });
  world.signal({ type: "permission", ask: "a", action: "edit", patterns: ["x"], call: "c" });
  world.signal({
    type: "question",
    ask: "q",
    questions: [{ question: "?", options: [{ label: "A" }], multiple: true }],
  });
  world.command({
    type: "answer",
    ask: world.session?.asks[0]?.id ?? "",
    answer: { kind: "permission", outcome: "always" },
    by: "t",
  });
  world.signal({ type: "tool.output", call: "c", delta: "out" });
  world.signal({
    type: "tool.done",
    call: "c",
    ok: true,
    output: "output",
    files: [{ path: "x", kind: "modified", diff: "@@" }],
  });
  world
    .signal({ type: "status", status: "retrying", attempt: 1, message: "529", next: 9 })
    .signal({ type: "plan", entries: [{ text: "a", status: "pending" }] });
  world
    .signal({ type: "usage", usage: { tokens: { input: 1, output: 2 }, context: { used: 3 } } })
    .signal({ type: "note", level: "info", text: "n" });
  world
    .signal({ type: "step.finished", finish: "tool-calls", usage: { tokens: { input: 1, output: 2 } } })
    .prompt("p2");
  world
    .signal({ type: "unparsed", reason: "not_json", count: 1, sample: "x" })
    .command({ type: "cancel", queue: "clear" })
    .settle();
  const seen = new Set(world.events.map((event) => parseEvent(event).type));
  assert.deepEqual(
    ["session.note", "error"].filter((type) => seen.has(type)),
    [],
  );
  assert.equal(seen.size, 21);
});

test("the JSON Schema names every event type and the schema version", () => {
  const schema = eventJsonSchema();
  const text = JSON.stringify(schema);
  assert.equal(schema["x-parley-schema-version"], 1);
  for (const type of ["session.started", "turn.ended", "item.delta", "permission.requested", "agent.unparsed"])
    assert.match(text, new RegExp(`"const":"${type}"`));
});
