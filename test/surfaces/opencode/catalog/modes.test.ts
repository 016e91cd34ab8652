import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discovery } from "../../../../src/agents/contract.ts";
import { modeInfos } from "../../../../src/surfaces/opencode/catalog/modes.ts";

const able: Discovery = {
  installed: true,
  credentials: "found",
  models: [],
  modes: [{ id: "build" }, { id: "review" }],
  subagents: [{ name: "explore", description: "Looks around." }, { name: "review" }],
};

test("sub-agents are listed for the agents that work in the directory, and never in the place of a mode", () => {
  const agents = [
    { name: "able", discovery: able },
    { name: "other", discovery: { ...able, subagents: [{ name: "elsewhere" }] } },
  ];
  const listed = modeInfos(agents, ["able"]).map(({ name, mode, description }) => [name, mode, description]);
  assert.deepEqual(listed.slice(2), [
    ["review", "primary", "A mode of able, other."],
    ["explore", "subagent", "Looks around."],
  ]);
});
