import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolPart } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { eventually } from "../../../support/eventually.ts";
import { Client, type SessionsRig, sessionsRig, texts, tools } from "../sessions-rig.ts";

const bash = (command: string) => ({ name: "bash", input: { command } });
const COLORS = {
  header: "Color",
  question: "Which color?",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

const SCRIPT = {
  run: [{ tools: [bash("echo one")] }, { text: "It went: {{last_tool_result}}" }],
  twice: [{ tools: [bash("echo one")] }, { tools: [bash("echo one")] }, { text: "Both went." }],
  both: [{ tools: [bash("echo one"), bash("echo two")] }, { text: "On we go." }],
  write: [{ tools: [{ name: "write", input: { path: "a.txt", content: "a\n" } }] }, { text: "Written." }],
  ask: [
    { tools: [{ name: "question", input: { questions: [COLORS, { ...COLORS, header: "Second", multiple: true }] } }] },
    { text: "You chose: {{last_tool_result}}" },
  ],
};

/** Resolves when the session has asked so many things. */
async function asked({ until }: SessionsRig, session: string, count = 1): Promise<void> {
  const seen = new Set<number>();
  await until(session, ({ type, seq }) => {
    if (type.endsWith(".requested")) seen.add(seq);
    return seen.size >= count;
  });
}

/** The entries of a list, as soon as it has some: a sub-agent's session has no id that could be listened for. */
async function eventuallySome<T>(list: () => Promise<T[]>): Promise<T[]> {
  let found: T[] = [];
  await eventually("something in the list", async () => {
    found = await list();
    return found.length > 0;
  });
  return found;
}

const toolState = async (client: Client, session: string): Promise<ToolPart["state"][]> =>
  (await client.messages(session)).flatMap(tools).map(({ state }) => state);

test("B5: a permission is listed with its call, and allowed once", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client } = rig;
  const { id } = await client.create();
  const answer = client.ask(id, "[[run]]");
  await asked(rig, id);
  const [permission, ...more] = await client.permissions();
  assert.equal(more.length, 0);
  const [, message] = await client.messages(id);
  const [call] = message ? tools(message) : [];
  assert.deepEqual(
    [permission?.sessionID, permission?.permission, permission?.patterns, permission?.tool],
    [id, "bash", ["echo one"], { messageID: message?.info.id, callID: call?.callID }],
  );
  assert.deepEqual(await client.questions(), []);
  assert.deepEqual(await new Client(client.url, "/").permissions(), [], "not in another directory");
  const path = `/permission/${permission?.id}/reply`;
  assert.equal(await client.expect(200, "POST", path, { reply: "once" }), true);
  assert.match(texts(await answer)[0] ?? "", /It went: one/);
  assert.deepEqual(await client.permissions(), []);
  assert.equal(await client.expect(200, "POST", path, { reply: "once" }), true, "the same answer is right again");
  const late = await client.call<{ _tag: string; requestID: string; message: string }>("POST", path, {
    reply: "reject",
  });
  assert.deepEqual(
    [late.status, late.body._tag, late.body.requestID],
    [404, "PermissionNotFoundError", permission?.id],
  );
  assert.match(late.body.message, /answered before, with once/);
});

test("B5: always holds for the rest of the session; the older route answers, too", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client } = rig;
  const { id } = await client.create();
  const answer = client.ask(id, "[[twice]]");
  await asked(rig, id);
  const [permission] = await client.permissions();
  assert.deepEqual([permission?.patterns, permission?.always], [["echo one"], ["echo *"]]);
  const path = `/session/${id}/permissions/${permission?.id}`;
  assert.equal(await client.expect(200, "POST", path, { response: "always" }), true);
  assert.deepEqual(texts(await answer), ["Both went."]);
  await rig.server.restart();
  const again = new Client(rig.server.parley.url, client.directory);
  assert.deepEqual(texts(await again.ask(id, "[[twice]]")), ["Both went."], "also after a restart");
});

test("B5: a refusal without a word ends the turn as it is; with a word the agent goes on", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client, model } = rig;
  const { id } = await client.create();
  const ended = client.ask(id, "[[run]]");
  await asked(rig, id);
  const [first] = await client.permissions();
  await client.expect(200, "POST", `/permission/${first?.id}/reply`, { reply: "reject" });
  const { info, parts } = await ended;
  assert.deepEqual([info.finish, info.error], ["tool-calls", undefined]);
  assert.deepEqual(
    tools({ parts }).map(({ state }) => state.status),
    ["error"],
  );
  assert.equal(model.requests.length, 1, "the model was not asked again");
  assert.deepEqual(await client.get(`/session/status`), {});

  const going = client.ask(id, "[[run]]");
  await asked(rig, id, 2);
  const [second] = await client.permissions();
  const message = "use another way";
  await client.expect(200, "POST", `/permission/${second?.id}/reply`, { reply: "reject", message });
  const answer = await going;
  assert.equal(answer.info.finish, "stop");
  assert.match(texts(answer)[0] ?? "", /It went: .*use another way/);
});

test("B5: a refusal is for everything the session waits for", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client, model } = rig;
  const [one, other] = [await client.create(), await client.create()];
  const answer = client.ask(one.id, "[[both]]");
  await client.prompt(other.id, "[[run]]");
  await asked(rig, one.id, 2);
  await asked(rig, other.id);
  const mine = (await client.permissions()).filter(({ sessionID }) => sessionID === one.id);
  assert.deepEqual(
    mine.map(({ patterns }) => patterns),
    [["echo one"], ["echo two"]],
  );
  await client.expect(200, "POST", `/permission/${mine[1]?.id}/reply`, { reply: "reject" });
  assert.equal((await answer).info.finish, "tool-calls");
  assert.deepEqual(
    (await toolState(client, one.id)).map(({ status }) => status),
    ["error", "error"],
  );
  assert.deepEqual(
    (await client.permissions()).map(({ sessionID }) => sessionID),
    [other.id],
    "and for no other session",
  );
  assert.equal(model.requests.length, 2);
  await client.expect(200, "POST", `/session/${other.id}/abort`);
  assert.deepEqual(await client.permissions(), [], "an abort leaves nothing that nobody needs to answer");
});

test("B5: several questions, answered and rejected", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client, model } = rig;
  const { id } = await client.create();
  const answer = client.ask(id, "[[ask]]");
  await asked(rig, id);
  const [question] = await client.questions();
  assert.deepEqual(
    question?.questions.map(({ header, options, multiple }) => [header, options, multiple]),
    [
      ["Color", COLORS.options, undefined],
      ["Second", COLORS.options, true],
    ],
  );
  assert.deepEqual(await client.permissions(), []);
  const path = `/question/${question?.id}`;
  for (const answers of [[["Red"]], [], "Red"])
    assert.equal((await client.call("POST", `${path}/reply`, { answers })).status, 400, JSON.stringify(answers));
  const answers = [["Blue"], ["Red", "Blue"]];
  assert.equal(await client.expect(200, "POST", `${path}/reply`, { answers }), true);
  assert.match(texts(await answer)[0] ?? "", /Blue[\s\S]*Red, Blue/);
  assert.equal(await client.expect(200, "POST", `${path}/reply`, { answers }), true);
  const late = await client.call<{ _tag: string }>("POST", `${path}/reject`);
  assert.deepEqual([late.status, late.body._tag], [404, "QuestionNotFoundError"]);

  const rejected = client.ask(id, "[[ask]]");
  await asked(rig, id, 2);
  const [next] = await client.questions();
  const before = model.requests.length;
  assert.equal(await client.expect(200, "POST", `/question/${next?.id}/reject`), true);
  assert.deepEqual([(await rejected).info.finish, model.requests.length], ["tool-calls", before], "the turn ends");
});

test("an unknown ask is not found", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  for (const [path, body, tag] of [
    ["/permission/per_nope/reply", { reply: "once" }, "PermissionNotFoundError"],
    ["/permission/nope/reply", { reply: "once" }, "PermissionNotFoundError"],
    [`/session/${id}/permissions/per_nope`, { response: "once" }, "PermissionNotFoundError"],
    ["/question/que_nope/reply", { answers: [] }, "QuestionNotFoundError"],
    ["/question/que_nope/reject", undefined, "QuestionNotFoundError"],
  ] as const) {
    const { status, body: answer } = await client.call<{ _tag: string }>("POST", path, body);
    assert.deepEqual([status, answer._tag], [404, tag], path);
  }
  assert.equal((await client.call("POST", "/permission/per_nope/reply", { reply: "maybe" })).status, 400);
  assert.equal((await client.call("POST", "/session/ses_nope/permissions/per_x", { response: "once" })).status, 404);
});

test("B8: a session's rules allow and deny at once, the last one that fits counts, and they can be changed", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client, server } = rig;
  const rule = (permission: string, pattern: string, action: string) => ({ permission, pattern, action });
  const permission = [rule("*", "*", "deny"), rule("bash", "echo *", "allow"), rule("question", "*", "deny")];
  const { id } = await client.create({ permission });
  assert.match(texts(await client.ask(id, "[[run]]"))[0] ?? "", /It went: one/);
  assert.match(texts(await client.ask(id, "[[ask]]"))[0] ?? "", /rule of this session denies/);
  const written = await client.ask(id, "[[write]]");
  assert.deepEqual(texts(written), ["Written."], "a rule's no lets the agent go on");
  assert.deepEqual(
    (await toolState(client, id)).map(({ status }) => status),
    ["completed", "error", "error"],
  );

  const { permission: changed } = await client.expect<Session>(200, "PATCH", `/session/${id}`, {
    permission: [rule("bash", "*", "ask")],
  });
  assert.equal(changed?.length, 4);
  const answer = client.ask(id, "[[run]]");
  await asked(rig, id, 4);
  const [waiting] = await client.permissions();
  assert.equal(waiting?.permission, "bash");
  await client.expect(200, "PATCH", `/session/${id}`, { permission: [rule("bash", "*", "allow")] });
  assert.match(texts(await answer)[0] ?? "", /It went: one/, "what waits is settled by a new rule");
  const by = (await server.api.events(id)).flatMap((event) =>
    event.type === "permission.resolved" || event.type === "question.resolved" ? [event.data.by] : [],
  );
  assert.deepEqual([...new Set(by)], ["rule"], "nobody was asked on any surface");
});

test("B5: the asks of a sub-agent are listed with its own session, and answered like any other", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client } = rig;
  const { id } = await client.create({ model: { providerID: "scripted", id: "default" } });
  const answer = client.ask(id, "[[subagent ask]]");
  await rig.until(id, ({ type }) => type === "item.started");
  const [permission] = await eventuallySome(() => client.permissions());
  const [child] = await client.get<Session[]>(`/session/${id}/children`);
  assert.deepEqual([permission?.sessionID, child?.parentID], [child?.id, id]);
  assert.equal(await client.expect(200, "POST", `/permission/${permission?.id}/reply`, { reply: "once" }), true);
  assert.deepEqual(texts(await answer), ["My helper is done."]);
  const messages = await client.messages(child?.id ?? "");
  assert.ok(messages.length > 1);
  for (const message of messages)
    assert.deepEqual(await client.get(`/session/${child?.id}/message/${message.info.id}`), message);
  const refused = await client.call("POST", `/session/${child?.id}/message`, { parts: [{ type: "text", text: "hi" }] });
  assert.equal(refused.status, 409, "it is the agent's own");
});

test("a sub-agent of a sub-agent is a child of the root, where clients show its asks", async (t) => {
  const rig = await sessionsRig(t, SCRIPT);
  const { client } = rig;
  const { id } = await client.create({ model: { providerID: "scripted", id: "default" } });
  const answer = client.ask(id, "[[subagent deep ask]]");
  await rig.until(id, ({ type }) => type === "item.started");
  const [permission] = await eventuallySome(() => client.permissions());
  const children = await client.get<Session[]>(`/session/${id}/children`);
  assert.deepEqual(
    children.map(({ parentID, agent, model }) => [parentID, agent, model?.providerID]),
    [
      [id, "helper", "scripted"],
      [id, "helper", "scripted"],
    ],
  );
  const asking = children.filter((child) => child.id === permission?.sessionID);
  assert.equal(asking.length, 1, "one of them asks");
  assert.equal(await client.expect(200, "POST", `/permission/${permission?.id}/reply`, { reply: "once" }), true);
  assert.deepEqual(texts(await answer), ["My helper is done."]);
});
