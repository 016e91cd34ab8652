import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { MessageWithParts, UserMessage } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { sessionsRig, texts } from "../sessions-rig.ts";

const ECHO = { "*": [{ text: "You said: {{prompt}}" }] };

test("B8: the model and the mode of a prompt hold from then on; another agent answers only a session without a past", async (t) => {
  const { client } = await sessionsRig(t, ECHO);
  const { id } = await client.create();
  const two = await client.ask(id, "hi", { model: { providerID: "house", modelID: "test/two" }, agent: "plan" });
  assert.deepEqual([two.info.modelID, two.info.agent, two.info.mode], ["test/two", "plan", "plan"]);
  const [question] = await client.messages(id);
  assert.deepEqual((question?.info as UserMessage | undefined)?.model, { providerID: "house", modelID: "test/two" });
  const kept = await client.ask(id, "and now");
  assert.deepEqual([kept.info.modelID, kept.info.agent], ["test/two", "plan"]);
  const back = await client.ask(id, "build", { agent: "build", variant: "default" });
  assert.deepEqual([back.info.modelID, back.info.agent], ["test/two", "build"]);
  const session = await client.get<Session>(`/session/${id}`);
  assert.deepEqual([session.agent, session.model], ["build", { id: "test/two", providerID: "house" }]);

  const refused = async (body: object, about: RegExp): Promise<void> => {
    const sent = { parts: [{ type: "text", text: "x" }], ...body };
    for (const path of ["message", "prompt_async"]) {
      const answer = await client.call<{ data: { message: string } }>("POST", `/session/${id}/${path}`, sent);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.data.message, about);
    }
  };
  await refused({ model: { providerID: "house", modelID: "gpt-9" } }, /no model gpt-9/);
  await refused({ model: { providerID: "nobody", modelID: "x" } }, /no provider nobody/);
  await refused({ model: { providerID: "scripted", modelID: "default" } }, /new session for scripted/);
  await refused({ agent: "wild" }, /no mode wild/);
  await refused({ parts: [] }, /at least one part/);
  await refused({ parts: "bad" }, /parts/);
  await refused({ parts: [{ type: "picture" }] }, /parts/);
  await refused({ messageID: "nope" }, /msg_/);
  assert.equal((await client.messages(id)).length, 6, "nothing that was refused is there");

  const fresh = await client.create();
  const answered = await client.ask(fresh.id, "hello", { model: { providerID: "scripted", modelID: "default" } });
  assert.equal(answered.info.providerID, "scripted");
  assert.match(texts(answered)[0] ?? "", /You said: hello/);
  assert.equal((await client.get<Session>(`/session/${fresh.id}`)).model?.providerID, "scripted");
  const before = await client.messages(fresh.id);
  await client.ask(fresh.id, "again", { model: { providerID: "scripted", modelID: "scripted" }, agent: "plan" });
  assert.deepEqual((await client.messages(fresh.id)).slice(0, 2), before, "what was said is not told anew");
});

test("noReply keeps a message without an answer: the agent has it with the next prompt", async (t) => {
  const { client, model } = await sessionsRig(t, ECHO);
  const { id } = await client.create();
  const kept = await client.expect<MessageWithParts>(200, "POST", `/session/${id}/message`, {
    noReply: true,
    messageID: "msg_context",
    parts: [{ type: "text", text: "The password is tuna." }],
  });
  assert.deepEqual([kept.info.role, kept.info.id, texts(kept)], ["user", "msg_context", ["The password is tuna."]]);
  assert.deepEqual(await client.messages(id), [kept]);
  await client.prompt(id, "and this", { noReply: true });
  assert.equal(model.requests.length, 0, "nobody was asked anything");
  const answer = await client.ask(id, "hello");
  const asked = JSON.stringify(model.requests.at(-1)?.body);
  assert.match(asked, /tuna.*and this.*hello/);
  const messages = await client.messages(id);
  assert.deepEqual(
    messages.map((message) => texts(message)[0]),
    ["The password is tuna.", "and this", "hello", texts(answer)[0]],
  );
  assert.equal(messages[0]?.info.time.created, kept.info.time.created);
  await client.ask(id, "again");
  assert.match(JSON.stringify(model.requests.at(-1)?.body), /tuna/, "it stays in the conversation");
});

test("files inside the directory are named by their path, content comes along, agents are named in words", async (t) => {
  const { client, model, work } = await sessionsRig(t, ECHO);
  await writeFile(join(work, "notes.txt"), "the notes say forty-two");
  const { id } = await client.create();
  const url = pathToFileURL(join(work, "notes.txt")).href;
  const parts = [
    { type: "text", text: "look" },
    { type: "file", mime: "text/plain", filename: "notes.txt", url },
    {
      type: "file",
      mime: "text/plain",
      url: `data:text/plain;base64,${Buffer.from("inline words").toString("base64")}`,
    },
    { type: "agent", name: "general", source: { value: "@general", start: 0, end: 8 } },
    { type: "subtask", agent: "general", description: "Count", prompt: "Count the words" },
  ];
  await client.expect(200, "POST", `/session/${id}/message`, { parts, system: "Answer like a pirate." });
  const asked = JSON.stringify(model.requests.at(-1)?.body);
  for (const words of [/forty-two/, /inline words/, /sub-agent general/, /Count the words/, /like a pirate/])
    assert.match(asked, words);
  const [question] = await client.messages(id);
  assert.deepEqual(
    question?.parts.map(({ id: _, sessionID: __, messageID: ___, ...part }) => part),
    [parts[0], { ...parts[1] }, { ...parts[2] }, parts[3], parts[4]],
  );
  assert.equal((question?.info as UserMessage | undefined)?.system, "Answer like a pirate.");
  for (const bad of ["file:///etc/passwd", pathToFileURL(join(work, "..", "x")).href, "https://example.invalid/a"]) {
    const { status } = await client.call("POST", `/session/${id}/message`, {
      parts: [{ type: "file", mime: "text/plain", url: bad }],
    });
    assert.equal(status, 400, bad);
  }
});

test("tools of a prompt are rules of its session; a format of the client's is refused", async (t) => {
  const { client } = await sessionsRig(t, ECHO);
  const { id } = await client.create();
  await client.ask(id, "hello", { tools: { bash: false, edit: true } });
  assert.deepEqual((await client.get<Session>(`/session/${id}`)).permission, [
    { permission: "bash", pattern: "*", action: "deny" },
    { permission: "edit", pattern: "*", action: "allow" },
  ]);
  const [question] = await client.messages(id);
  assert.deepEqual((question?.info as UserMessage | undefined)?.tools, { bash: false, edit: true });
  const format = { type: "json_schema", schema: {} };
  const { status } = await client.call("POST", `/session/${id}/message`, {
    parts: [{ type: "text", text: "x" }],
    format,
  });
  assert.equal(status, 501);
});
