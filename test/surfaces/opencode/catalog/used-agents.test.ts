import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sampleAgent } from "../../../../src/agents/line-protocol/launch.ts";
import { temporary } from "../../../support/server.ts";
import { Listener } from "../listener.ts";
import { opencodeRig } from "../rig.ts";

test("a command of an agent is offered where that agent worked last, and refused by name in a session of another", async (t) => {
  const { argv, modes } = sampleAgent();
  const able = { command: argv, modes, can: ["discover"] as const };
  const trust = { file: join(await temporary(t), "trusted"), configured: ["/"] };
  const { client, server } = await opencodeRig(t, { agents: { able }, trust });
  const own = { modes: [{ id: "build" }], commands: [{ name: "ship" }, { name: "compact" }] };
  await writeFile(join(server.directory, ".sample-agent.json"), JSON.stringify(own));
  const offered = async (): Promise<string[]> =>
    (await client.get<{ name: string }[]>("/command")).map(({ name }) => name);
  const begin = (providerID: string): Promise<{ id: string }> =>
    client.expect(200, "POST", "/session", { body: { model: { providerID, id: "default" } } });
  assert.deepEqual(await offered(), ["init", "review"], "the house agent has none of its own");
  const everywhere = new Listener(`${server.parley.url}/global/event`);
  t.after(() => everywhere.leave());
  await everywhere.connect();
  await begin("able");
  await everywhere.until(({ type }) => type === "server.instance.disposed", "the lists are to be read anew");
  assert.deepEqual(await offered(), ["init", "review", "ship"], "compact is a command of OpenCode's clients");
  const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: {} });
  assert.deepEqual(await offered(), ["init", "review"]);
  const { status, text } = await client.call("POST", `/session/${id}/command`, {
    body: { command: "ship", arguments: "" },
  });
  assert.equal(status, 404);
  assert.match(text, /ship is a command of agent able, and this session is one of house: begin a session with able/);
});
