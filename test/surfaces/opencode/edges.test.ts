import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import type { MessageWithParts } from "../../../src/surfaces/opencode/shapes/message.ts";
import type { PermissionRule, Session } from "../../../src/surfaces/opencode/shapes/session.ts";
import { OpencodeClient } from "../../support/opencode.ts";
import { opencodeRig } from "./rig.ts";

const say = (text: string, more: object = {}): { body: object } => ({
  body: { parts: [{ type: "text", text }], ...more },
});

test("a prompt cannot have the id of an answer: a client would show one in place of the other", async (t) => {
  const { client } = await opencodeRig(t, { defaultAgent: "scripted" });
  const { id } = await client.expect<Session>(200, "POST", "/session", { body: {} });
  const { info } = await client.expect<MessageWithParts>(200, "POST", `/session/${id}/message`, say("one"));
  const reply = await client.call("POST", `/session/${id}/message`, say("two", { messageID: info.id }));
  assert.equal(reply.status, 409, reply.text);
  const messages = await client.get<MessageWithParts[]>(`/session/${id}/message`);
  assert.deepEqual(
    messages.map(({ info: { role } }) => role),
    ["user", "assistant"],
  );
});

test("a prompt that names no tool leaves the session's rules as they are", async (t) => {
  const { client } = await opencodeRig(t, { defaultAgent: "scripted" });
  const permission: PermissionRule[] = [{ permission: "bash", pattern: "*", action: "deny" }];
  const { id } = await client.expect<Session>(200, "POST", "/session", { body: { permission } });
  await client.expect(200, "POST", `/session/${id}/message`, say("hello", { tools: {} }));
  assert.deepEqual((await client.get<Session>(`/session/${id}`)).permission, permission);
});

test("a session whose agent is no longer configured can be renamed and put away", async (t) => {
  const { server } = await opencodeRig(t, {
    defaultAgent: "scripted",
    agents: { mine: { command: [...sampleAgent().argv] } },
  });
  const { id } = await server.api.create({ agent: "mine" });
  await server.api.ask(id, "hello");
  await server.restart({ agents: {} });
  const client = new OpencodeClient(server.parley.url);
  const body = { title: "an old one", time: { archived: 5 } };
  const { title, time } = await client.expect<Session>(200, "PATCH", `/session/${id}`, { body });
  assert.deepEqual([title, time.archived], ["an old one", 5]);
  await client.expect(404, "POST", `/session/${id}/message`, say("hello"));
  await client.expect(200, "DELETE", `/session/${id}`);
});

test("messages after a restart sort behind those before it, though the clock was set back", async (t) => {
  const { server } = await opencodeRig(t, { defaultAgent: "scripted" });
  const { id } = await server.api.create();
  await server.api.ask(id, "before");
  const now = Date.now;
  t.mock.method(Date, "now", () => now() - 3_600_000);
  await server.restart();
  await server.api.ask(id, "after");
  const client = new OpencodeClient(server.parley.url);
  const messages = await client.get<MessageWithParts[]>(`/session/${id}/message`);
  const ids = messages.map(({ info }) => info.id);
  assert.equal(ids.length, 4);
  assert.deepEqual(ids, ids.toSorted());
});

test("the stand-in for an answer that never came is found by its id, right behind its prompt", async (t) => {
  const { client } = await opencodeRig(t, {
    defaultAgent: "broken",
    agents: { broken: { command: [process.execPath, "-e", "process.exit(3)"] } },
  });
  const { id } = await client.expect<Session>(200, "POST", "/session", { body: {} });
  const prompt = say("hello", { messageID: "msg_zzz" });
  const answer = await client.expect<MessageWithParts>(200, "POST", `/session/${id}/message`, prompt);
  assert.ok(answer.info.role === "assistant" && answer.info.error);
  assert.deepEqual(await client.get(`/session/${id}/message/${answer.info.id}`), answer);
  const ids = (await client.get<MessageWithParts[]>(`/session/${id}/message`)).map(({ info }) => info.id);
  assert.deepEqual(ids, ["msg_zzz", answer.info.id]);
  assert.deepEqual(ids, ids.toSorted());
});
