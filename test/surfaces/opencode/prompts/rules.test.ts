import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { sessionsRig } from "../sessions-rig.ts";

const ECHO = { "*": [{ text: "You said: {{prompt}}" }] };
const said = (text: string): object[] => [{ type: "text", text }];
const denied = [{ permission: "bash", pattern: "*", action: "deny" }];

test("a prompt that is refused leaves the session's rules as they were", async (t) => {
  const { client } = await sessionsRig(t, ECHO);
  const { id } = await client.create();
  await client.ask(id, "hello", { tools: { bash: false }, messageID: "msg_first" });
  const before = await client.get<Session>(`/session/${id}`);
  assert.deepEqual(before.permission, denied);
  const tools = { bash: true, edit: true };
  const refused: [path: string, body: object][] = [
    ["message", { parts: said("x"), tools, messageID: "nope" }],
    ["prompt_async", { parts: said("x"), tools, messageID: "nope" }],
    ["message", { parts: said("another"), tools, messageID: "msg_first" }],
    ["message", { parts: [{ type: "file", mime: "text/plain", url: "file:///etc/passwd" }], tools }],
    ["message", { parts: said("x"), tools, agent: "wild" }],
    ["message", { parts: said("x"), tools, model: { providerID: "scripted", modelID: "default" } }],
  ];
  for (const [path, body] of refused) {
    const { status } = await client.call("POST", `/session/${id}/${path}`, body);
    assert.ok(status >= 400, `${path} ${JSON.stringify(body)}: ${status}`);
    assert.deepEqual(await client.get<Session>(`/session/${id}`), before, JSON.stringify(body));
  }
  // The same prompt once more is no new one.
  await client.ask(id, "other", { tools: { edit: false } });
  await client.ask(id, "hello", { tools: { bash: false }, messageID: "msg_first" });
  const { permission } = await client.get<Session>(`/session/${id}`);
  assert.deepEqual(permission, [{ permission: "edit", pattern: "*", action: "deny" }]);
});

test("the tools of a prompt that waits hold from its turn on; those of one that is taken back never do", async (t) => {
  const { client, model, ended } = await sessionsRig(t, {
    first: [{ text: ["one ", { text: "two", hold: "first" }] }],
    "*": [{ text: "You said: {{prompt}}" }],
  });
  const { id } = await client.create();
  const rules = async (): Promise<unknown> => (await client.get<Session>(`/session/${id}`)).permission;
  await client.prompt(id, "first");
  await client.prompt(id, "second", { tools: { bash: false }, messageID: "msg_second" });
  await client.prompt(id, "third", { tools: { bash: true }, messageID: "msg_third" });
  assert.equal(await rules(), undefined);
  await client.expect(200, "DELETE", `/session/${id}/message/msg_third`);
  model.release("first");
  await ended(id, 2);
  assert.deepEqual(await rules(), denied);
});

test("the tools of a message without a reply hold at once", async (t) => {
  const { client } = await sessionsRig(t, ECHO);
  const { id } = await client.create();
  await client.prompt(id, "know this", { noReply: true, tools: { bash: false } });
  assert.deepEqual((await client.get<Session>(`/session/${id}`)).permission, denied);
});
