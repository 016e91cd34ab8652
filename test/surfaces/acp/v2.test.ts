import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer, type TestServer } from "../../support/server.ts";
import { connectV2, failsWith, openV2, say, texts } from "./v2-stage.ts";

describe("the draft of version 2", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());

  const connect = (t: Cleanup) => connectV2(t, server);
  const open = (t: Cleanup, send?: typeof fetch) => openV2(t, server, send ? { send } : {});

  test("INIT-001 version 2 tells its name and what it can", async (t) => {
    const { hello } = await connect(t);
    assert.equal(hello.protocolVersion, 2);
    assert.equal(hello.info.name, "parley");
    assert.deepEqual(hello.capabilities?.session?.mcp, { stdio: {}, http: {} });
  });

  test("SESSION-001 CONFIG-001 a session begins with its choices and commands", async (t) => {
    const { told } = await open(t);
    assert.deepEqual(
      told.configOptions?.map((one) => one.configId),
      ["mode", "model", "effort"],
    );
    assert.ok(Array.isArray(told.availableCommands));
  });

  test("PROMPT-001 a prompt is answered at once, and one idle state ends its turn", async (t) => {
    const session = await open(t);
    const { messageId, idle } = await session.run("hello [[tools 1]]");
    assert.equal(idle?.stopReason, "end_turn");
    assert.ok(idle?.usage);
    assert.deepEqual(
      session.states().map(({ state }) => state),
      ["running", "idle"],
    );
    const user = session.updates.find((one) => one.sessionUpdate === "user_message") as { messageId: string };
    assert.equal(user.messageId, messageId);
    assert.equal(texts(session.updates), "I ran 1 tools.");
    const { length } = session.updates;
    await session.agent.request("session/list", {});
    assert.equal(session.updates.length, length, "nothing follows the idle state");
  });

  test("PROMPT-002 prompts that wait have a turn and an idle state each", async (t) => {
    const session = await open(t);
    await Promise.all(["[[slow 200]]", "two", "three"].map((text) => session.prompt(text)));
    await eventually("all are over", () => session.idles().length === 3);
    assert.deepEqual(
      session.states().map(({ state }) => state),
      ["running", "idle", "running", "idle", "running", "idle"],
    );
  });

  test("STATE-001 an ask shows requires_action, then running again", async (t) => {
    const session = await open(t);
    await session.run("[[ask ls]]");
    assert.deepEqual(
      session.states().map(({ state }) => state),
      ["running", "requires_action", "running", "idle"],
    );
    assert.equal(session.asked[0]?.title, "ls");
    assert.equal(session.asked[0]?.subject?.type, "tool_call");
  });

  test("STATE-001 the ask of a sub-agent shows requires_action, too", async (t) => {
    const session = await open(t);
    const { idle } = await session.run("[[subagent ask]]");
    assert.equal(idle?.stopReason, "end_turn");
    assert.deepEqual(
      session.states().map(({ state }) => state),
      ["running", "requires_action", "running", "idle"],
    );
    assert.equal(session.asked.length, 1);
  });

  test("STATE-002 a retry says its attempt, its reason and its time", async (t) => {
    const session = await open(t);
    const begun = Date.now();
    await session.run("[[retry]]");
    const retries = session.states().flatMap(({ state, _meta }) => {
      const { attempt, message, next = "" } = _meta?.parley?.retrying ?? {};
      return attempt === undefined ? [] : [{ state, attempt, message, next }];
    });
    assert.deepEqual(
      retries.map(({ next: _, ...retry }) => retry),
      [1, 2].map((attempt) => ({ state: "running", attempt, message: "the scripted model is busy" })),
    );
    const [first = 0, second = 0] = retries.map(({ next }) => {
      assert.equal(new Date(next).toISOString(), next);
      return Date.parse(next);
    });
    assert.ok(begun < first && first < second, JSON.stringify(retries));
    assert.deepEqual(session.states().at(-2), { sessionUpdate: "state_update", state: "running" }, "it is over");
  });

  test("CANCEL-001 a cancelled turn is idle once, cancelled; a waiting prompt is taken back", async (t) => {
    const session = await open(t);
    await session.prompt("[[slow]]");
    const never = session.prompt("never");
    await eventually("it works", () => texts(session.updates).includes("still"));
    await session.agent.notify("session/cancel", { sessionId: session.id });
    await assert.rejects(never, failsWith(-32800));
    await eventually("it is over", () => session.idles().length === 1);
    assert.equal(session.idles()[0]?.stopReason, "cancelled");
    assert.equal((await session.run("next")).idle?.stopReason, "end_turn");
    assert.equal(session.idles().length, 2);
  });

  test("STATE a turn whose session is deleted elsewhere, or can no longer be read, is idle once", async (t) => {
    const deleted = await open(t);
    await deleted.prompt("[[slow]]");
    await eventually("it works", () => texts(deleted.updates).includes("still"));
    await server.api.expect(204, "DELETE", `/v1/sessions/${deleted.id}`);
    await eventually("it is over", () => deleted.idles().length > 0);
    assert.deepEqual(
      deleted.idles().map(({ stopReason }) => stopReason),
      ["error"],
    );
    let isLost = false;
    const lost = await open(t, async (url, init) =>
      isLost && String(url).includes("/stream") ? new Response("{}", { status: 403 }) : fetch(url, init),
    );
    await lost.prompt("[[slow 2000]]");
    await eventually("it works", () => texts(lost.updates).includes("still"));
    isLost = true;
    server.parley.cutStreams();
    await eventually("it is over", () => lost.idles().length > 0);
    isLost = false;
    assert.deepEqual(
      lost.idles().map(({ stopReason }) => stopReason),
      ["error"],
    );
  });

  test("ERROR-001 a turn that fails is idle with its error", async (t) => {
    const session = await open(t);
    const { idle } = await session.run("[[error]]");
    assert.equal(idle?.stopReason, "error");
    assert.deepEqual(idle?.error?.message, "the script asked for an error");
  });

  test("RESUME-001 RESUME-002 the history comes where it is wanted, before the response", async (t) => {
    const session = await open(t);
    const { messageId } = await session.run("[[read-edit]] [[plan]]");
    const cwd = server.directory;
    const quiet = await connect(t);
    await quiet.agent.request("session/resume", { sessionId: session.id, cwd });
    assert.deepEqual(quiet.updates, [{ sessionUpdate: "state_update", state: "idle" }]);
    const full = await connect(t);
    await full.agent.request("session/resume", { sessionId: session.id, cwd, replayFrom: { type: "start" } });
    const first = full.updates[0] as { sessionUpdate: string; messageId: string };
    assert.deepEqual([first.sessionUpdate, first.messageId], ["user_message", messageId]);
    assert.equal(texts(full.updates), texts(session.updates));
    const calls = full.updates.filter((one) => one.sessionUpdate === "tool_call_update") as {
      status: string;
      content: object[];
    }[];
    assert.ok(calls.length >= 2 && calls.every(({ status }) => status === "completed" || status === "failed"));
    assert.match(JSON.stringify(calls), /"operation":"(add|modify)".*"git_patch"/);
    assert.ok(full.updates.some((one) => one.sessionUpdate === "plan_update"));
    assert.deepEqual(full.updates.at(-1), { sessionUpdate: "state_update", state: "idle" });
  });

  test("CONFIG-002 AUTH-001 DELETE-001 CLOSE-001 the rest of the methods", async (t) => {
    const session = await open(t);
    const { agent, id: sessionId } = session;
    const set = await agent.request("session/set_config_option", {
      sessionId,
      configId: "mode",
      type: "id",
      value: "plan",
    });
    assert.equal(set.configOptions.length, 3);
    assert.deepEqual(await agent.request("auth/login", { methodId: "agent-login" }), {});
    await assert.rejects(agent.request("auth/login", { methodId: "other" }), failsWith(-32602));
    await assert.rejects(agent.request("session/prompt", { sessionId: "ses_no", prompt: say("x") }), failsWith(-32002));
    assert.deepEqual(await agent.request("session/close", { sessionId }), {});
    assert.deepEqual(await agent.request("session/delete", { sessionId }), {});
    assert.deepEqual(await agent.request("session/delete", { sessionId }), {});
    const { sessions } = await agent.request("session/list", { cwd: "/no/such/place" });
    assert.deepEqual(sessions, []);
  });
});
