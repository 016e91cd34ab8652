import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../../src/agents/contract.ts";
import { chooseDefaultAgent } from "../../src/server/agents.ts";

/** Agents by name, and whether each is installed and logged in. */
function agents(usable: Readonly<Record<string, boolean>>): Map<string, Agent> {
  const made = Object.entries(usable).map(([name, is]): [string, Agent] => [
    name,
    {
      name,
      usable: async () => is,
      discover: () => Promise.reject(new Error("nothing is run to choose")),
      open: () => {
        throw new Error("nothing is opened to choose");
      },
    },
  ]);
  return new Map(made);
}

const CASES: [usable: Record<string, boolean>, configured: string | undefined, chosen: string][] = [
  [{ claude: true, codex: true, house: true }, undefined, "claude"],
  [{ claude: false, codex: true, house: true }, undefined, "codex"],
  [{ claude: false, codex: false, house: true }, undefined, "house"],
  [{ house: true }, undefined, "house"],
  [{ claude: true, codex: true }, "codex", "codex"],
];

test("the agent of a session that names none is the first that is installed and logged in", async () => {
  for (const [usable, configured, chosen] of CASES)
    assert.equal(await chooseDefaultAgent(agents(usable), configured), chosen, JSON.stringify(usable));
});
