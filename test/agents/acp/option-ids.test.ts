import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fieldsIn } from "../../../src/core/json/fields.ts";
import { openPuppet } from "./puppet.ts";

const select = (id: string, category?: string) => ({
  ...{ id, name: id, type: "select", currentValue: "a", ...(category ? { category } : {}) },
  options: [{ value: "a" }, { value: "b" }],
});

test("options whose ids stand for something else have others, and are set by their own", async () => {
  const configOptions = [
    select("permission", "mode"),
    select("mode"),
    select("effort"),
    select("think", "thought_level"),
  ];
  const answers = { "session/new": { sessionId: "sess", configOptions }, "session/set_config_option": {} };
  const { puppet, session, signals } = openPuppet(tmpdir(), undefined, { answers });
  await session.ready();
  const facts = () => signals.findLast((signal) => signal.type === "session");
  assert.deepEqual(
    facts()?.offers?.map(({ id, name }) => [id, name]),
    [
      ["mode_2", "mode"],
      ["effort_2", "effort"],
      ["effort", "think"],
    ],
  );
  for (const [choice, id] of [
    [{ mode: "b" }, "permission"],
    [{ options: { mode_2: "b" } }, "mode"],
    [{ options: { effort_2: "b" } }, "effort"],
    [{ options: { effort: "b" } }, "think"],
  ] as const) {
    await session.set(choice);
    assert.equal(fieldsIn(puppet.asked("session/set_config_option") ?? {}, "params").configId, id);
  }
  assert.equal(facts()?.mode, "b");
  assert.deepEqual(facts()?.options, { mode_2: "b", effort_2: "b", effort: "b" });
  await session.kill(0);
});

test("an option with the id of modes that are set otherwise is not taken for the mode", async () => {
  const modes = { currentModeId: "a", availableModes: [{ id: "a" }, { id: "b" }] };
  const answers = {
    "session/new": { sessionId: "sess", modes, configOptions: [select("mode")] },
    "session/set_config_option": {},
  };
  const { session, signals } = openPuppet(tmpdir(), undefined, { answers });
  await session.ready();
  await session.set({ options: { mode_2: "b" } });
  const facts = signals.findLast((signal) => signal.type === "session");
  assert.deepEqual([facts?.mode, facts?.options], ["a", { mode_2: "b" }]);
  await session.kill(0);
});
