import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import { startServer } from "../../support/server.ts";
import { answersIn, connectionsIn, RecordedClient, type Seen, statesIn } from "./recorded-client.ts";
import { assertV1, assertV2 } from "./schemas.ts";

const { argv, modes, options } = sampleAgent();

/** The scripted agent with the models that the clients chose. */
const RECORDED = { command: argv, modes, options, models: [{ id: "fake/fake-model" }, { id: "fake/fake-model-2" }] };

/** How often the file was changed: as often as its change was allowed. */
const CLIENTS: [name: string, version: 1 | 2, edits: number][] = [
  ["acpx", 1, 1],
  ["ai-provider", 1, 1],
  ["claude-v2", 2, 1],
  ["codex-v2", 2, 1],
];

/** The states of a session of version 2, one turn after the other. Between them it may tell that it is idle. */
const TURNS = /^(?:running (?:requires_action running )*idle: \w+ (?:idle )*)+$/;

function assertTurns(seen: Seen): void {
  assert.match(`${statesIn(seen).join(" ")} `, TURNS);
}

describe("what clients sent to other agents, sent to Parley", () => {
  for (const [name, version, edits] of CLIENTS)
    test(`${name}: each request has one answer, with an error only where it had one, and turns end alike`, async (t) => {
      const server = await startServer(t, { agents: { recorded: RECORDED }, defaultAgent: "recorded" });
      const file = join(server.directory, "README.md");
      writeFileSync(file, "# Demo\n");
      const client = new RecordedClient(server);
      const check = version === 1 ? assertV1 : assertV2;
      for (const recorded of connectionsIn(name)) {
        const seen = await client.connect(recorded);
        check(seen);
        assert.deepEqual(answersIn(seen), answersIn(recorded));
        assert.deepEqual(statesIn(seen), statesIn(recorded));
        if (version === 2) assertTurns(seen);
      }
      assert.equal(readFileSync(file, "utf8").split("\n").length, 2 + edits);
    });

  for (const [name] of CLIENTS.filter(([, version]) => version === 2))
    test(`${name}: what its agent told fits the schema that Parley is held to, and its turns have the same states`, () => {
      for (const recorded of connectionsIn(name)) {
        assertV2(recorded);
        assertTurns(recorded);
      }
    });
});
