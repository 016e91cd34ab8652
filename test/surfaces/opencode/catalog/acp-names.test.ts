import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { splitModel } from "../../../../src/surfaces/opencode/catalog/catalog.ts";
import { files, inDirectory, opencodeRig } from "../rig.ts";

const PROGRAM = fileURLToPath(new URL("../../../fixtures/agents/acp-as-told.mjs", import.meta.url));
const NAME = `acp:${process.execPath} ${PROGRAM}`;

test("the name of an agent with slashes is told from its model", () => {
  const agents = ["house", "acp:/opt/x", "acp:/opt/x --y=a/b"];
  const rows: [text: string, provider: string, model: string][] = [
    ["house/scripted/demo", "house", "scripted/demo"],
    ["acp:/opt/x/m", "acp:/opt/x", "m"],
    ["acp:/opt/x --y=a/b/m/n", "acp:/opt/x --y=a/b", "m/n"],
    ["acp:other/m", "acp:other", "m"],
  ];
  for (const [text, providerID, modelID] of rows) assert.deepEqual(splitModel(text, agents), { providerID, modelID });
  assert.throws(() => splitModel("acp:/opt/x/", agents), /expected a model/);
});

test("no model that a client names makes an agent up, whatever a project's files say", async (t) => {
  const { server, client } = await opencodeRig(t);
  const spoor = join(server.directory, "ran");
  const evil = `acp:touch ${spoor}`;
  await files(server.directory, {
    "opencode.json": JSON.stringify({ model: `${evil}/x`, command: { go: { template: "hi", model: `${evil}/x` } } }),
    ".opencode/command/come.md": `---\nmodel: ${evil}/x\n---\nhi\n`,
  });
  const { id } = await client.expect<{ id: string }>(200, "POST", inDirectory("/session", server.directory), {
    body: {},
  });
  const parts = [{ type: "text", text: "hello" }];
  const asks: [path: string, body: object][] = [
    [`/session/${id}/message`, { model: { providerID: evil, modelID: "x" }, parts }],
    [`/session/${id}/command`, { command: "go", arguments: "", model: `acp:touch/x` }],
    [`/session/${id}/command`, { command: "come", arguments: "", model: `${evil}/x` }],
  ];
  for (const [path, body] of asks) await client.expect(400, "POST", inDirectory(path, server.directory), { body });
  await client.expect(200, "POST", inDirectory(`/session/${id}/command`, server.directory), {
    body: { command: "go", arguments: "" },
  });
  const { all } = await client.expect<{ all: { id: string }[] }>(
    200,
    "GET",
    inDirectory("/provider", server.directory),
  );
  assert.ok(all.every((provider) => !provider.id.startsWith("acp:")));
  assert.ok(!existsSync(spoor), "nothing of it ran");
});

test("a session of a command line is one for OpenCode's clients, too", async (t) => {
  const { server, client } = await opencodeRig(t);
  const session = await server.api.create({ agent: NAME });
  const { all } = await client.expect<{ all: { id: string }[] }>(
    200,
    "GET",
    inDirectory("/provider", server.directory),
  );
  assert.ok(all.some((provider) => provider.id === NAME));
  const body = { model: { providerID: NAME, modelID: "default" }, parts: [{ type: "text", text: "say hello" }] };
  const path = inDirectory(`/session/${session.id}/message`, server.directory);
  const { info } = await client.expect<{ info: { providerID: string } }>(200, "POST", path, { body });
  assert.equal(info.providerID, NAME);
});
