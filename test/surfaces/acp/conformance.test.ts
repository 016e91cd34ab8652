import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type InitializeResponse,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { isFields } from "../../../src/core/json/fields.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { assertV1, assertV2 } from "./schemas.ts";
import { type Stage, stage, textOf, updatesOf } from "./stage.ts";

const say = (text: string) => [{ type: "text" as const, text }];

const failsWith = (code: number) => (error: unknown) => error instanceof RequestError && error.code === code;

describe("requirements of the protocol's test kit, version 1", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());
  const open = async (t: Parameters<typeof stage>[0], more: Parameters<typeof stage>[1] = {}) => {
    const client = await stage(t, { server, ...more });
    const created = await client.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
    return { ...client, ...created, id: created.sessionId };
  };
  const agentMessages = ({ messages }: Pick<Stage, "messages">) =>
    messages.filter(({ from }) => from === "agent").map(({ message }) => message);

  const initialized = (client: Pick<Stage, "messages">) => agentMessages(client)[0]?.result as InitializeResponse;

  test("SCHEMA-001 every message fits the protocol's schema, whatever its letters are", async (t) => {
    const client = await open(t);
    await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[tools 1]] [[plan]] [[reasoning]]"),
    });
    const text = "héllo ✓ \u2028 \u0007";
    await client.agent.request<PromptResponse>("session/prompt", { sessionId: client.id, prompt: say(text) });
    assertV1(client.messages);
    assert.ok(textOf(client.updates).endsWith(`You said: ${text}`));
  });

  test("JSONRPC-001 JSONRPC-002 ids of both kinds are given back, with either a result or an error", async (t) => {
    const client = await stage(t, { server, initialize: false });
    await client.raw({ jsonrpc: "2.0", id: "a-text", method: "initialize", params: { protocolVersion: 1 } });
    await client.raw({ jsonrpc: "2.0", id: 77, method: "session/list", params: {} });
    await eventually("both are answered", () => agentMessages(client).length === 2);
    assert.deepEqual(
      agentMessages(client).map(({ id }) => id),
      ["a-text", 77],
    );
    for (const message of agentMessages(client)) assert.ok("result" in message && !("error" in message));
  });

  test("JSONRPC-003 a notification gets no answer", async (t) => {
    const client = await open(t);
    await client.raw({ jsonrpc: "2.0", method: "_something/unknown", params: {} });
    await client.raw({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: client.id } });
    await client.agent.request("session/list", {});
    const answers = agentMessages(client).filter(({ method }) => method === undefined);
    assert.equal(answers.length, 3, "initialize, new and list");
  });

  test("JSONRPC-004 JSONRPC-005 EXT-001 an unknown method is -32601, and the connection goes on", async (t) => {
    const client = await open(t);
    await assert.rejects(client.agent.request("no/such_method", {}), failsWith(-32601));
    await assert.rejects(client.agent.request("_vendor/thing", {}), failsWith(-32601));
    const { stopReason } = await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("on"),
    });
    assert.equal(stopReason, "end_turn");
  });

  test("INIT-001 INIT-002 initialize needs no server and tells version, name and markers", async (t) => {
    const client = await stage(t, { server, acp: { client: () => Promise.reject(new Error("no server")) } });
    const answer = initialized(client);
    assert.equal(answer.protocolVersion, 1);
    assert.deepEqual(answer.agentInfo, { name: "parley", title: "Parley", version: "1.2.3" });
    assert.deepEqual(answer.agentCapabilities?.sessionCapabilities, {
      list: {},
      resume: {},
      close: {},
      delete: {},
      fork: {},
    });
    await assert.rejects(client.agent.request("session/list", {}), /no server/);
  });

  test("INIT-003 INIT-004 an unknown version is never echoed", async (t) => {
    const client = await stage(t, { server, initialize: false, check: assertV2 });
    const asked = { protocolVersion: 65_535, info: { name: "probe", version: "1" } };
    const answer = await client.agent.request<{ protocolVersion: number }>("initialize", asked as never);
    assert.ok(answer.protocolVersion <= 2);
  });

  test("SESSION-001 SESSION-002 a session has its own id; a relative directory is refused", async (t) => {
    const one = await open(t);
    const other = await one.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
    assert.notEqual(one.id, other.sessionId);
    await assert.rejects(one.agent.request("session/new", { cwd: "here", mcpServers: [] }), failsWith(-32602));
  });

  test("PROMPT-001 PROMPT-002 PROMPT-003 one response, after all updates, with a known reason", async (t) => {
    const client = await open(t);
    const { stopReason, usage } = await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[tools 2]] [[reasoning]]"),
    });
    assert.equal(stopReason, "end_turn");
    assert.equal(usage?.totalTokens, (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
    const last = client.messages.at(-1)?.message;
    assert.ok(last && "result" in last, "the response is the last message");
    await assert.rejects(
      client.agent.request<PromptResponse>("session/prompt", { sessionId: client.id, prompt: [] }),
      failsWith(-32602),
    );
    await assert.rejects(
      client.agent.request<PromptResponse>("session/prompt", { sessionId: "ses_nothing", prompt: say("x") }),
      failsWith(-32002),
    );
  });

  test("CANCEL-001 CANCEL-002 a cancelled prompt is answered cancelled, and nothing of it follows", async (t) => {
    const client = await open(t);
    const prompt = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[tools 1]] [[slow]]"),
    });
    await eventually("it works", () => textOf(client.updates).includes("still"));
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
    const isResponse = ({ message: { result } }: Stage["messages"][number]): boolean =>
      isFields(result) && result.stopReason === "cancelled";
    await staysSo(
      "the response to be the last message",
      () => client.messages.findLastIndex(isResponse) === client.messages.length - 1,
    );
    const { length } = client.updates;
    const next = await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("after"),
    });
    assert.equal(next.stopReason, "end_turn");
    assert.match(textOf(client.updates.slice(length)), /^This is Parley's .* You said: after$/);
  });

  test("CANCEL a cancel right behind its prompt, and one of an idle session", async (t) => {
    const client = await open(t);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    const prompt = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[slow]]"),
    });
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
  });

  test("LOAD-001 LOAD-002 LOAD-003 the whole history comes before the response, which is an object", async (t) => {
    const client = await open(t);
    await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[reasoning]] [[tools 1]] [[plan]]"),
    });
    const live = textOf(client.updates);
    const second = await stage(t, { server });
    const answer = await second.agent.request("session/load", {
      sessionId: client.id,
      cwd: server.directory,
      mcpServers: [],
    });
    assert.equal(typeof answer, "object");
    assert.ok(answer.configOptions?.length);
    const kinds = updatesOf(second).map(({ sessionUpdate }) => sessionUpdate);
    const history = kinds.slice(0, kinds.indexOf("session_info_update") + 1);
    assert.deepEqual(history, [
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
      "tool_call",
      "agent_message_chunk",
      "plan",
      "agent_message_chunk",
      "session_info_update",
    ]);
    assert.equal(textOf(second.updates), live);
    const call = updatesOf(second).find(({ sessionUpdate }) => sessionUpdate === "tool_call");
    assert.equal(call?.sessionUpdate === "tool_call" && call.status, "completed");
    const response = second.messages.findIndex(({ message }) => "result" in message && message.id === 1);
    assert.ok((second.updates[history.length - 1]?.at ?? Number.NaN) <= response + 1);
    await assert.rejects(
      second.agent.request("session/load", { sessionId: "ses_nothing", cwd: server.directory, mcpServers: [] }),
      failsWith(-32002),
    );
  });

  test("RESUME-001 RESUME-002 a resumed session tells no history and takes prompts", async (t) => {
    const client = await open(t);
    await client.agent.request<PromptResponse>("session/prompt", { sessionId: client.id, prompt: say("one") });
    const second = await stage(t, { server });
    await second.agent.request("session/resume", { sessionId: client.id, cwd: server.directory });
    const answer = await second.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("two"),
    });
    assert.equal(answer.stopReason, "end_turn");
    assert.match(textOf(second.updates), /^This.*You said: two$/);
    assert.equal(textOf(second.updates, "user_message_chunk"), "");
  });

  test("LIST-001 LIST-002 sessions of a directory; none of an unknown one", async (t) => {
    const client = await open(t);
    const { sessions } = await client.agent.request("session/list", { cwd: server.directory });
    const found = sessions.find(({ sessionId }) => sessionId === client.id);
    assert.equal(found?.cwd, server.directory);
    assert.ok(!Number.isNaN(Date.parse(found?.updatedAt ?? "")));
    assert.deepEqual((await client.agent.request("session/list", { cwd: "/no/such/place" })).sessions, []);
    await assert.rejects(client.agent.request("session/list", { cursor: "nonsense" }), failsWith(-32602));
  });

  test("DELETE-001 DELETE-002 a deleted session is gone, and may be deleted again", async (t) => {
    const client = await open(t);
    const prompt = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[slow]]"),
    });
    await eventually("it works", () => textOf(client.updates).includes("still"));
    assert.deepEqual(await client.agent.request("session/delete", { sessionId: client.id }), {});
    assert.equal((await prompt).stopReason, "cancelled");
    assert.deepEqual(await client.agent.request("session/delete", { sessionId: client.id }), {});
    const { sessions } = await client.agent.request("session/list", { cwd: server.directory });
    assert.ok(!sessions.some(({ sessionId }) => sessionId === client.id));
  });

  test("CLOSE-001 CLOSE-002 closing cancels the running prompt; the session stays", async (t) => {
    const client = await open(t);
    const prompt = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[slow]]"),
    });
    const queued = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("never"),
    });
    await eventually("it works", () => textOf(client.updates).includes("still"));
    assert.deepEqual(await client.agent.request("session/close", { sessionId: client.id }), {});
    assert.deepEqual([(await prompt).stopReason, (await queued).stopReason], ["cancelled", "cancelled"]);
    assert.deepEqual(await client.agent.request("session/close", { sessionId: client.id }), {});
    const again = await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("again"),
    });
    assert.equal(again.stopReason, "end_turn");
  });

  test("ADDDIRS-001 further directories are not offered, and refused", async (t) => {
    const client = await stage(t, { server });
    const more = { cwd: server.directory, mcpServers: [], additionalDirectories: ["/tmp"] };
    await assert.rejects(client.agent.request("session/new", more), failsWith(-32602));
  });

  test("instructions of the client are not offered, and refused where a session is opened", async (t) => {
    const client = await open(t);
    const place = { cwd: server.directory, mcpServers: [] };
    const systemPrompt = { mode: "append", content: say("Speak like a pirate.") };
    await client.agent.request("session/new", { ...place, systemPrompt: null });
    for (const method of ["session/new", "session/load", "session/resume", "session/fork"]) {
      const params = { sessionId: client.id, ...place };
      await assert.rejects(client.agent.request(method, { ...params, systemPrompt }), /no systemPrompt/, method);
    }
  });

  test("MODES-001 MODES-002 a mode is set and told; an unknown one is refused", async (t) => {
    const client = await open(t);
    assert.equal(client.modes?.currentModeId, "build");
    assert.deepEqual(await client.agent.request("session/set_mode", { sessionId: client.id, modeId: "plan" }), {});
    assert.equal((await server.api.session(client.id)).mode, "plan");
    await assert.rejects(
      client.agent.request("session/set_mode", { sessionId: client.id, modeId: "no" }),
      failsWith(-32602),
    );
  });

  test("CONFIG-001 CONFIG-002 a choice is answered with all of them", async (t) => {
    const client = await open(t);
    assert.deepEqual(
      client.configOptions?.map(({ id, category }) => [id, category]),
      [
        ["mode", "mode"],
        ["model", "model"],
        ["effort", "thought_level"],
      ],
    );
    for (const [configId, value] of [
      ["mode", "plan"],
      ["model", "scripted"],
      ["effort", "high"],
    ] as const) {
      const { configOptions } = await client.agent.request("session/set_config_option", {
        sessionId: client.id,
        configId,
        value,
      });
      assert.equal(configOptions.length, 3);
      assert.equal(configOptions.find(({ id }) => id === configId)?.currentValue, value);
    }
    const unknown = { sessionId: client.id, configId: "colour", value: "red" };
    await assert.rejects(client.agent.request("session/set_config_option", unknown), failsWith(-32602));
  });

  test("PROMPTCAP-001 PROMPTCAP-002 PROMPTCAP-003 pictures and embedded files are taken, audio is refused", async (t) => {
    const client = await open(t);
    const prompt = [
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
      { type: "resource" as const, resource: { uri: "file:///a/b.txt", text: "words" } },
      { type: "resource_link" as const, uri: `file://${server.directory}/README.md`, name: "README.md" },
    ];
    assert.equal(
      (await client.agent.request<PromptResponse>("session/prompt", { sessionId: client.id, prompt })).stopReason,
      "end_turn",
    );
    const audio = [{ type: "audio" as const, data: "AAAA", mimeType: "audio/wav" }];
    await assert.rejects(
      client.agent.request<PromptResponse>("session/prompt", { sessionId: client.id, prompt: audio }),
      /audio cannot/,
    );
  });

  test("AUTH-001 AUTH-002 AUTH-003 AUTH-004 AUTH-005 a listed method works, another one does not, none is a terminal", async (t) => {
    const client = await open(t);
    const { authMethods = [] } = initialized(client);
    assert.ok(authMethods.every((method) => !("type" in method)));
    assert.deepEqual(await client.agent.request("authenticate", { methodId: authMethods[0]?.id ?? "" }), {});
    await assert.rejects(client.agent.request("authenticate", { methodId: "no-such" }), failsWith(-32602));
    for (const method of [
      "logout",
      "auth/status",
      "providers/list",
      "session/archive",
      "mcp/message",
      "proxy/initialize",
    ])
      await assert.rejects(client.agent.request(method, {}), failsWith(-32601), method);
  });

  test("CLIENTCAP-001 CLIENTCAP-002 CLIENTCAP-003 nothing is asked of the client that it did not offer", async (t) => {
    const client = await open(t);
    client.onPermission(async ({ options }) => ({
      outcome: { outcome: "selected", optionId: options[0]?.optionId ?? "" },
    }));
    await client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[read-edit]] [[question]] [[retry]]"),
    });
    const asked = agentMessages(client).flatMap(({ id, method }) =>
      id === undefined || method === undefined ? [] : [method],
    );
    assert.deepEqual([...new Set(asked)], ["session/request_permission"]);
    assert.ok(!updatesOf(client).some(({ sessionUpdate }) => sessionUpdate === "notice"));
  });

  test("META-001 unknown `_meta` is let be, and the session's agent can be named there", async (t) => {
    const client = await stage(t, { server });
    const asked = { cwd: server.directory, mcpServers: [], _meta: { parley: { agent: "house" }, other: 1 } };
    const { sessionId } = await client.agent.request<NewSessionResponse>("session/new", asked);
    assert.equal((await server.api.session(sessionId)).agent, "house");
  });

  test("ERROR an id or a prompt that is none is the client's fault", async (t) => {
    const client = await open(t);
    const prompt = say("hello");
    for (const sessionId of ["", ".", "..", "\ud800", "x".repeat(100_000)])
      for (const [method, params] of [
        ["session/prompt", { prompt }],
        ["session/load", { cwd: server.directory, mcpServers: [] }],
        ["session/delete", {}],
        ["session/set_mode", { modeId: "a" }],
      ] as const)
        await assert.rejects(client.agent.request(method, { sessionId, ...params }), failsWith(-32602), method);
    for (const odd of [undefined, "hello", [null], [{ type: "resource", resource: {} }], [{ type: "text" }]])
      await assert.rejects(
        client.agent.request("_session/steering", { sessionId: client.id, prompt: odd }),
        failsWith(-32602),
      );
    const _meta = { parley: { agent: "\ud800" } };
    await assert.rejects(
      client.agent.request("session/new", { cwd: server.directory, mcpServers: [], _meta }),
      failsWith(-32602),
    );
  });

  test("ERROR-001 an error is one line with its reason", async (t) => {
    const client = await open(t);
    const failed = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[error]]"),
    });
    await assert.rejects(failed, (error) => {
      assert.ok(error instanceof RequestError);
      assert.equal(error.code, -32603);
      assert.equal(error.message, "the script asked for an error");
      assert.deepEqual(error.data, { code: "scripted" });
      return true;
    });
  });

  test("SHUTDOWN a client to which nothing can be written leaves its turn and its prompts alone", async (t) => {
    const client = await open(t);
    for (const text of ["[[slow 500]]", "and more"])
      client.agent
        .request<PromptResponse>("session/prompt", { sessionId: client.id, prompt: say(text) })
        .catch(() => {});
    await eventually("it works", () => textOf(client.updates).includes("still"));
    await eventually("the other waits", async () => (await server.api.session(client.id)).queue.length === 1);
    client.cut();
    await eventually("both turns are over", async () => (await server.api.session(client.id)).turns === 2);
    await eventually("nothing runs", async () => (await server.api.session(client.id)).status === "idle");
    const { events } = await server.api.expect<{ events: { type: string; data: { reason?: string } }[] }>(
      200,
      "GET",
      `/v1/sessions/${client.id}/events`,
    );
    const ends = events.flatMap(({ type, data }) => (type === "turn.ended" ? data.reason : []));
    assert.deepEqual(ends, ["end_turn", "end_turn"]);
  });

  test("SHUTDOWN-001 the connection ends with its input; the turn goes on", async (t) => {
    const client = await open(t);
    const lost = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: client.id,
      prompt: say("[[slow 300]]"),
    });
    lost.catch(() => {});
    await eventually("it works", () => textOf(client.updates).includes("still"));
    await client.close();
    await eventually(
      "the turn ends by itself",
      async () => (await server.api.session(client.id)).lastEnd?.reason === "end_turn",
    );
  });
});
