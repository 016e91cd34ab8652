import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres } from "../../support/postgres.ts";
import { agent, temporary } from "../../support/server.ts";
import { follow, heard, heldSession, inDirectory, openNodes, textParts, twoNodes } from "./rig.ts";

interface Message {
  info: { id: string; role: string; error?: { name: string } };
  parts: { type: string; text?: string }[];
}

const textOf = ({ parts }: Message): string => parts.map(({ text }) => text ?? "").join("");

test("any node shows a session as its owner does, and has the owner take its commands", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const { id } = await a.client.expect<{ id: string }>(200, "POST", inDirectory("/session", directory), { body: {} });
  const held = (): boolean[] => [a, b].map(({ server }) => server.parley.gateway.tenure.holds(id));
  const path = `/session/${id}`;
  const message = `${path}/message`;
  await a.client.expect(204, "POST", `${path}/prompt_async`, { body: textParts("ask") });
  await eventually("both nodes list the permission", async () => {
    const lists = await Promise.all(
      [a, b].map(({ client }) => client.get<unknown[]>(inDirectory("/permission", directory))),
    );
    return lists.every(({ length }) => length === 1);
  });
  const [asked] = await b.client.get<{ id: string }[]>(inDirectory("/permission", directory));
  await b.client.expect(200, "PATCH", path, { body: { title: "Named by B" }, operation: "PATCH /session/{sessionID}" });
  const reads = [
    ...[path, message, `${path}/todo`, `${path}/diff`, `${path}/children`, inDirectory("/permission", directory)],
    ...[inDirectory("/session", directory), inDirectory("/session/status", directory), "/experimental/session"],
    ...[`/api${path}`, `/api${message}`, `/api${path}/history`, `/api${path}/context`, `/api${path}/permission`],
    ...["/api/session", "/api/session/active", inDirectory("/api/permission/request", directory)],
  ];
  for (const read of reads) {
    const [here, there] = await Promise.all([a, b].map(({ client }) => client.call("GET", read, { operation: "any" })));
    assert.equal(here?.status, 200, read);
    assert.deepEqual(there?.body, here?.body, read);
  }
  const reply = { body: { reply: "once" }, operation: "POST /permission/{requestID}/reply" };
  await b.client.expect(200, "POST", `/permission/${asked?.id}/reply`, reply);
  await b.client.expect(204, "POST", `/api${path}/wait`);
  const sent = { body: textParts("count 3"), operation: "POST /session/{sessionID}/message" };
  assert.equal(textOf(await b.client.expect<Message>(200, "POST", message, sent)), "1 2 3 ");
  assert.deepEqual(held(), [true, false]);
});

test(
  "commands of more than one step begin with the owner, also where it has an agent that the others lack",
  needsPostgres,
  async (t) => {
    const told = agent("does-as-told");
    const [a, b] = await openNodes(t, [{ agents: { told, mine: told } }, {}]);
    assert.ok(a && b);
    const directory = await temporary(t);
    const id = await heldSession(a, directory, { model: { providerID: "mine", id: "default" } });
    const path = `/session/${id}`;
    const stream = await follow(t, inDirectory(`${b.url}/event`, directory));
    const shell = await b.client.call<Message>("POST", `${path}/shell`, { body: { command: "pwd" }, operation: "any" });
    assert.deepEqual([shell.status, shell.text.includes(directory)], [200, true]);
    const model = { providerID: "mine", modelID: "default" };
    await b.client.expect(200, "POST", `${path}/message`, {
      body: { ...textParts("count 2"), model, agent: "build" },
      operation: "any",
    });
    const command = { body: { command: "nothing", arguments: "" }, operation: "any" };
    assert.equal((await b.client.call("POST", `${path}/command`, command)).status, 404);
    await b.client.expect(204, "POST", `${path}/prompt_async`, { body: textParts("work") });
    await heard(stream, ({ type }) => type === "message.part.delta", "the turn runs");
    assert.equal(await b.client.expect(200, "POST", `${path}/abort`, { operation: "any" }), true);
    await b.client.expect(204, "POST", `/api${path}/prompt`.replace("prompt", "revert/commit"));
    assert.equal(await b.client.expect(200, "DELETE", path, { operation: "any" }), true);
    assert.equal((await a.client.call("GET", path, { operation: "any" })).status, 404);
  },
);

test("a session is deleted with those of other nodes that clients made for it", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const parentID = await heldSession(a, directory);
  const id = await heldSession(b, directory, { parentID });
  assert.deepEqual(
    [a, b].map(({ server }) => server.parley.gateway.tenure.holds(id)),
    [false, true],
  );
  await b.client.expect(200, "DELETE", `/session/${parentID}`, { operation: "any" });
  assert.deepEqual(await a.client.get(inDirectory("/session", directory)), []);
});

test("a native session is taken over once, whichever nodes are asked", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const body = { directory, resume: "native-1" };
  const answers = await Promise.all([a, b, a, b].map(({ server }) => server.api.call("POST", "/v1/sessions", body)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
});
