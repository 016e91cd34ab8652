import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { Listener } from "../listener.ts";
import { type Answered, Client, sessionsRig, texts, tools } from "../sessions-rig.ts";

const SCRIPT = {
  "*": [{ text: "You said: {{prompt}}", usage: { input: 30, cacheRead: 10, cacheWrite: 5, output: 20, reasoning: 8 } }],
  held: [{ text: ["It begins ", { text: "and ends.", hold: "gate" }] }],
  tools: [
    { text: "I look.", tools: [{ name: "glob", input: { pattern: "*.txt" } }] },
    { reasoning: "Nothing there.", text: "There are none." },
  ],
  broken: [{ fail: { status: 400, message: "This prompt always fails." } }],
  dropped: [{ tools: [{ name: "glob", input: { pattern: "*" } }] }, { fail: { status: 401, message: "No." } }],
};

const ids = (messages: readonly MessageWithParts[]): string[] => messages.map(({ info }) => info.id);

test("B3: a prompt is answered with the last message of its turn, and the session has every message", async (t) => {
  const { client, work } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const answer = await client.ask(id, "[[tools]]", { messageID: "msg_custom123" });
  assert.equal(answer.info.parentID, "msg_custom123");
  assert.deepEqual([answer.info.finish, answer.info.providerID, answer.info.modelID], ["stop", "house", "test/one"]);
  assert.deepEqual(
    answer.parts.map(({ type }) => type),
    ["step-start", "reasoning", "text", "step-finish"],
  );
  assert.deepEqual(answer.info.path, { cwd: work, root: work });
  const messages = await client.messages(id);
  assert.deepEqual(
    messages.map(({ info }) => info.role),
    ["user", "assistant", "assistant"],
  );
  assert.deepEqual(messages.at(-1), answer);
  assert.deepEqual(
    tools(messages[1] ?? answer).map(({ tool, state }) => [tool, state.status]),
    [["glob", "completed"]],
  );
  for (const message of messages) {
    assert.deepEqual(await client.get(`/session/${id}/message/${message.info.id}`), message);
  }
  assert.equal((await client.call("GET", `/session/${id}/message/msg_nope`)).status, 404);
  const far = new Client(client.url, "/");
  assert.deepEqual(await far.messages(id), messages, "from whatever directory");
});

test("B7: tokens of a message have reasoning and cache", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const { info, parts } = await client.ask(id, "count");
  const tokens = { total: 50, input: 15, output: 12, reasoning: 8, cache: { read: 10, write: 5 } };
  assert.deepEqual(info.tokens, tokens);
  const finish = parts.find((part) => part.type === "step-finish");
  assert.deepEqual(finish?.type === "step-finish" && finish.tokens, tokens);
  const { total: _, ...counted } = tokens;
  assert.deepEqual((await client.get<Session>(`/session/${id}`)).tokens, counted);
});

test("text that is being streamed is in the messages, and what streams say is what they say", async (t) => {
  const { client, model, until } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const listener = new Listener(`${client.url}/event?directory=${encodeURIComponent(client.directory)}`);
  await listener.connect();
  await client.prompt(id, "[[held]]");
  await model.until(() => model.held.has("gate"));
  await until(id, ({ type }) => type === "item.delta");
  const [, answer] = await client.messages(id);
  assert.deepEqual(answer && texts(answer), ["It begins "]);
  assert.deepEqual(await client.get(`/session/${id}/message/${answer?.info.id}`), answer);
  model.release("gate");
  await listener.idle(id);
  await client.prompt(id, "[[tools]]");
  await listener.until(
    () => listener.mirror.status.get(id) === "idle" && listener.mirror.transcript(id).length === 5,
    "both turns",
  );
  assert.deepEqual(await client.messages(id), listener.mirror.transcript(id));
  await listener.leave();
});

test("a second prompt waits, is shown at once, and each gets its own answer", async (t) => {
  const { client, model } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const first = client.ask(id, "[[held]]", { messageID: "msg_1" });
  await model.until(() => model.held.has("gate"));
  const second = client.ask(id, "two", { messageID: "msg_2" });
  await client.prompt(id, "three", { messageID: "msg_3", agent: "plan" });
  const waiting = (await client.messages(id)).slice(2);
  assert.deepEqual(ids(waiting), ["msg_2", "msg_3"]);
  assert.deepEqual(waiting.map(texts), [["two"], ["three"]]);
  assert.deepEqual(await client.get(`/session/${id}/message/msg_3`), waiting[1]);
  assert.equal(await client.expect(200, "DELETE", `/session/${id}/message/msg_3`), true);
  assert.equal((await client.call("GET", `/session/${id}/message/msg_3`)).status, 404);
  model.release("gate");
  assert.deepEqual(texts(await first), ["It begins and ends."]);
  assert.deepEqual([(await first).info.parentID, (await second).info.parentID], ["msg_1", "msg_2"]);
  assert.deepEqual(texts(await second), ["You said: two"]);
  const messages = await client.messages(id);
  assert.deepEqual(
    messages.map(({ info }) => (info.role === "user" ? info.id : info.parentID)),
    ["msg_1", "msg_1", "msg_2", "msg_2"],
  );
});

test("a prompt that waits and is aborted is told so", async (t) => {
  const { client, model, until } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const answers = ["[[held]]", "two"].map((text) => client.ask(id, text));
  await model.until(() => model.held.has("gate"));
  await until(id, ({ type }) => type === "prompt.queued");
  await client.expect(200, "POST", `/session/${id}/abort`);
  for (const answer of answers) assert.equal((await answer).info.error?.name, "MessageAbortedError");
  assert.equal((await client.messages(id)).length, 2, "what was never begun is not there");
});

test("the same message id with the same body is one prompt, with another body a conflict", async (t) => {
  const { client, server } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const body = { messageID: "msg_once", parts: [{ id: "prt_mine", type: "text", text: "hello" }] };
  const path = `/session/${id}/message`;
  const answers = await Promise.all([1, 2, 3].map(() => client.expect<Answered>(200, "POST", path, body)));
  answers.push(await client.expect<Answered>(200, "POST", path, body));
  await client.expect(204, "POST", `/session/${id}/prompt_async`, body);
  assert.equal(new Set(answers.map(({ info }) => info.id)).size, 1);
  const messages = await client.messages(id);
  assert.equal(messages.length, 2);
  assert.deepEqual(
    messages[0]?.parts.map((part) => part.id),
    ["prt_mine"],
    "a part keeps the id that its client gave it",
  );
  for (const other of [
    { ...body, parts: [{ type: "text", text: "bye" }] },
    { ...body, system: "Be brief." },
    { ...body, agent: "plan" },
    { ...body, variant: "high" },
  ]) {
    const { status } = await client.call("POST", path, other);
    assert.equal(status, 409, JSON.stringify(other));
  }
  await server.restart();
  const again = new Client(server.parley.url, client.directory);
  assert.deepEqual(await again.expect<Answered>(200, "POST", path, body), answers[0], "also after a restart");
  assert.equal((await again.messages(id)).length, 2);
});

test("a fatal error of the model is an answer with an error, and one session.error before idle", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const listener = new Listener(`${client.url}/event?directory=${encodeURIComponent(client.directory)}`);
  await listener.connect();
  const answer = await client.ask(id, "[[broken]]");
  assert.equal(answer.info.error?.name, "APIError");
  assert.match(answer.info.error?.data.message ?? "", /always fails/);
  await client.prompt(id, "[[dropped]]");
  const count = (type: string): number => listener.log.filter(({ event }) => event.type === type).length;
  await listener.until(() => count("session.idle") === 2, "both turns");
  assert.equal(count("session.error"), 2);
  const types = listener.log.map(({ event }) => event.type);
  assert.ok(types.indexOf("session.error") < types.indexOf("session.idle"));
  assert.equal((await client.messages(id)).at(-1)?.info.role, "assistant");
  await listener.leave();
});

test("an agent that cannot even be started answers with its error", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT, { agents: { absent: { command: ["/nowhere/agent"] } } });
  const { id } = await client.create({ model: { providerID: "absent", id: "default" } });
  const { info } = await client.ask(id, "hello");
  assert.equal(info.role, "assistant");
  assert.match(info.error?.data.message ?? "", /nowhere/);
});

test("a client that leaves before its answer ends nothing", async (t) => {
  const { client, model, ended } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const gone = new AbortController();
  const left = fetch(`${client.url}/session/${id}/message`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parts: [{ type: "text", text: "[[held]]" }] }),
    signal: gone.signal,
  });
  await model.until(() => model.held.has("gate"));
  gone.abort();
  await assert.rejects(async () => (await left).text());
  model.release("gate");
  await ended(id);
  const answer = (await client.messages(id)).at(-1);
  assert.deepEqual(answer && texts(answer), ["It begins and ends."]);
});

test("messages and parts of the past are not changed", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const { info, parts } = await client.ask(id, "hello");
  const path = `/session/${id}/message/${info.id}`;
  for (const [method, rest] of [
    ["DELETE", ""],
    ["DELETE", `/part/${parts[0]?.id}`],
    ["PATCH", `/part/${parts[0]?.id}`],
  ] as const) {
    const { status, body } = await client.call<{ name: string }>(method, `${path}${rest}`);
    assert.deepEqual([status, body.name], [501, "NotSupportedError"]);
  }
  assert.equal((await client.call("DELETE", `${path}/part/prt_nope`)).status, 404);
});
