import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { SessionUpdate } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { type Fields, fieldsIn } from "../../../src/core/json/fields.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { connectV2, failsWith, openV2, say, texts } from "./v2-stage.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const by = (agent: string) => ({ asked: { _meta: { parley: { agent } } } });
const kindsOf = (updates: readonly SessionUpdate[]) => updates.map(({ sessionUpdate }) => sessionUpdate);
const ofKind = (updates: readonly SessionUpdate[], kind: string): Fields[] =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === kind) as Fields[];

/** The options of the stand-in: a choice, and one that is on or off. */
const configOptions = [
  {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "m",
    options: [{ value: "m", name: "M" }],
  },
  { id: "web", name: "Web", type: "boolean", currentValue: false },
];
const told = { "session/new": { sessionId: "sess-stand-in", configOptions }, "session/set_config_option": {} };
const played = (...steps: object[]): string => JSON.stringify({ steps });
const update = (sessionUpdate: string, facts: object) => ({ update: { sessionUpdate, ...facts } });

describe("what a client of version 2 can be told and asked", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    const env = { STAND_IN: JSON.stringify(told) };
    server = await startServer(closers, { agents: { told: { acp: [process.execPath, STAND_IN], env } } });
  });
  after(() => closers.close());

  const forms = { elicitation: { form: {} } };
  for (const [filled, said] of [
    [{ action: "accept", content: { q1: "red", q1_other: "blue" } }, /You chose: blue/],
    [{ action: "accept", content: { q1: "green" } }, /You chose: green/],
    [{ action: "decline" }, /You chose: nothing/],
    [{ action: "cancel" }, /You chose: nothing/],
  ] as const)
    test(`ELICIT-001 a question is a form: ${JSON.stringify(filled)}`, async (t) => {
      const session = await openV2(t, server, { capabilities: forms, filled });
      assert.equal((await session.run("[[question]]")).idle?.stopReason, "end_turn");
      assert.match(texts(session.updates), said);
      const [form, ...others] = session.forms as unknown as Fields[];
      assert.deepEqual([form?.mode, form?.sessionId, others], ["form", session.id, []]);
      assert.deepEqual(Object.keys(fieldsIn(fieldsIn(form ?? {}, "requestedSchema"), "properties")), [
        "q1",
        "q1_other",
      ]);
      assert.deepEqual(session.asked, [], "it is asked once");
      assert.deepEqual(
        session.states().map(({ state }) => state),
        ["running", "requires_action", "running", "idle"],
      );
    });

  test("ELICIT-002 a form is taken from the client when its turn is stopped", async (t) => {
    const session = await openV2(t, server, { capabilities: forms, filled: new Promise(() => {}) });
    await session.prompt("[[question]]");
    await eventually("it is asked", () => session.forms.length === 1);
    await session.agent.notify("session/cancel", { sessionId: session.id });
    await eventually("it is over", () => session.idles().length === 1);
    assert.equal(session.idles()[0]?.stopReason, "cancelled");
    const taken = session.messages.filter(({ message }) => message.method === "$/cancel_request");
    assert.equal(taken.length, 1);
  });

  test("ELICIT-003 without forms a question is a request with its options", async (t) => {
    const session = await openV2(t, server, { filled: { action: "accept", content: { q1: "blue" } } });
    assert.equal((await session.run("[[question]]")).idle?.stopReason, "end_turn");
    assert.deepEqual(session.forms, []);
    assert.equal(session.asked.length, 1);
    assert.match(texts(session.updates), new RegExp(`You chose: ${session.asked[0]?.options[0]?.name}`));
  });

  test("FORK-001 a fork begins with the past and goes its own way; an agent that has none refuses", async (t) => {
    const session = await openV2(t, server, by("house"));
    await session.run("hello");
    const { cwd } = { cwd: server.directory };
    const forked = await session.agent.request("session/fork", { sessionId: session.id, cwd });
    assert.notEqual(forked.sessionId, session.id);
    assert.ok(forked.configOptions?.some(({ configId }) => configId === "model"));
    const before = session.updatesIn(session.id).length;
    await session.agent.request("session/prompt", { sessionId: forked.sessionId, prompt: say("more") });
    const own = () => session.updatesIn(forked.sessionId);
    await eventually("its turn is over", () => ofKind(own(), "state_update").some(({ state }) => state === "idle"));
    assert.equal(ofKind(own(), "user_message").length, 1, "the past is not told");
    assert.equal(session.updatesIn(session.id).length, before, "the first one hears nothing of it");
    assert.deepEqual(
      [(await server.api.session(forked.sessionId)).turns, (await server.api.session(session.id)).turns],
      [2, 1],
    );
    const scripted = await openV2(t, server);
    const refused = scripted.agent.request("session/fork", { sessionId: scripted.id, cwd });
    await assert.rejects(refused, /another session's past/);
  });

  test("instructions of the client are refused where a session is opened", async (t) => {
    const { agent, id: sessionId } = await openV2(t, server);
    const systemPrompt = { mode: "append", content: say("Speak like a pirate.") };
    const params = { sessionId, cwd: server.directory, mcpServers: [], systemPrompt };
    for (const method of ["session/new", "session/resume", "session/fork"])
      await assert.rejects(agent.request(method, params), /no systemPrompt/, method);
  });

  test("STEER-001 words are given to the running turn, and begin one where none runs", async (t) => {
    const session = await openV2(t, server);
    const steer = (more: object = {}) =>
      session.agent.request("_session/steering", { sessionId: session.id, prompt: say("left"), ...more });
    const idle = { outcome: "promptRequired", reason: "noRunningTurn" };
    assert.deepEqual(await steer({ idleBehavior: "promptRequired" }), idle);
    assert.deepEqual(session.states(), []);
    const { messageId } = await session.prompt("[[slow 1500]]");
    await eventually("it works", () => texts(session.updates).includes("still"));
    assert.deepEqual(await steer({ idleBehavior: "promptRequired" }), { outcome: "injected" });
    await eventually("it is over", () => session.idles().length === 1);
    assert.match(texts(session.updates), /added: .*left/);
    assert.deepEqual(await steer(), { outcome: "startedNewTurn" });
    await eventually("the second is over", () => session.idles().length === 2);
    const said = ofKind(session.updates, "user_message");
    assert.equal(said[0]?.messageId, messageId);
    assert.equal((await server.api.session(session.id)).turns, 2);
    const unable = await openV2(t, server, by("house"));
    await assert.rejects(
      unable.agent.request("_session/steering", { sessionId: unable.id, prompt: [] }),
      failsWith(-32602),
    );
  });

  test("CONFIG-003 an option that is on or off is one for each client, which sets it so", async (t) => {
    const session = await openV2(t, server, by("told"));
    const web = (options: readonly { configId: string }[] | null | undefined) =>
      options?.find(({ configId }) => configId === "web") as Fields | undefined;
    assert.deepEqual(
      [web(session.told.configOptions)?.type, web(session.told.configOptions)?.currentValue],
      ["boolean", false],
    );
    const set = (value: boolean | string) =>
      session.agent.request("session/set_config_option", {
        ...{ sessionId: session.id, configId: "web" },
        ...(typeof value === "boolean" ? { type: "boolean", value } : { type: "id", value }),
      });
    assert.equal(web((await set(true)).configOptions)?.currentValue, true);
    assert.deepEqual((await server.api.session(session.id)).options, { web: true });
    assert.equal(web((await set(false)).configOptions)?.currentValue, false);
    assert.deepEqual((await server.api.session(session.id)).options, { web: false });
    await server.api.expect(200, "PATCH", `/v1/sessions/${session.id}`, { options: { web: true } });
    await eventually("a choice of another client is told", () =>
      ofKind(session.updates, "config_option_update").some(
        (one) => web(one.configOptions as { configId: string }[])?.currentValue === true,
      ),
    );
  });

  test("NOTICE-001 warnings of the agent come without being asked for: version 2 has no word for that", async (t) => {
    const session = await openV2(t, server, by("told"));
    const notice = update("notice", { severity: "warning", title: "Low on credit", description: "buy some" });
    await session.run(played(notice));
    assert.deepEqual(
      ofKind(session.updates, "notice").map(({ severity, title, description }) => [severity, title, description]),
      [["warning", "Low on credit", "buy some"]],
    );
  });

  test("COMPACT-001 compactions come without being asked for, each with its end", async (t) => {
    const session = await openV2(t, server, by("told"));
    const is = (compactionId: string, status: string, more = {}) =>
      update("compaction_update", { compactionId, status, ...more });
    const content = { type: "text", text: "We spoke." };
    await session.run(
      played(
        ...[is("a", "in_progress"), update("compaction_summary_chunk", { compactionId: "a", content })],
        ...[is("a", "completed"), is("b", "in_progress"), is("b", "failed", { error: "no room" })],
      ),
    );
    const shown = session.updates.flatMap((one) => {
      const { sessionUpdate, compactionId, status, error, content } = one as Fields;
      if (!String(sessionUpdate).startsWith("compaction")) return [];
      return [{ compactionId, is: status ?? (content as Fields).text, error }];
    });
    assert.deepEqual(
      shown.map(({ is, error }) => [is, error]),
      [
        ["in_progress", undefined],
        ["We spoke.", undefined],
        ["completed", undefined],
        ["in_progress", undefined],
        ["failed", "no room"],
      ],
    );
    const ids = shown.map(({ compactionId }) => compactionId);
    assert.deepEqual([new Set(ids.slice(0, 3)).size, new Set(ids.slice(3)).size, new Set(ids).size], [1, 1, 2]);
    assert.ok(!kindsOf(session.updates).includes("agent_message_chunk"), "the summary is not the answer");
  });

  test("COMPACT-002 /compact is a compaction of its own turn", async (t) => {
    const session = await openV2(t, server, by("house"));
    await session.run("hello");
    const from = session.updates.length;
    assert.equal((await session.run("/compact")).idle?.stopReason, "end_turn");
    const states = ofKind(session.updates.slice(from), "compaction_update").map(({ status }) => status);
    assert.deepEqual(states, ["in_progress", "completed"]);
    assert.ok(ofKind(session.updates, "compaction_summary_chunk").length > 0);
    assert.equal(texts(session.updates.slice(from)), "");
  });

  test("CLIENTCAP-001 a client that has nothing is asked for permissions alone", async (t) => {
    const session = await connectV2(t, server);
    const { sessionId } = await session.agent.request("session/new", { cwd: server.directory });
    await session.agent.request("session/prompt", { sessionId, prompt: say("[[question]] [[ask ls]] [[retry]]") });
    await eventually("it is over", () => session.idles().length === 1);
    const asked = session.messages.flatMap(({ from, message: { id, method } }) =>
      from === "agent" && id !== undefined && method !== undefined ? [method] : [],
    );
    assert.deepEqual([...new Set(asked)], ["session/request_permission"]);
    assert.ok(!kindsOf(session.updates).includes("notice"), "a retry is a state");
  });
});
