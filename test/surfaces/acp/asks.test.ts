import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { PromptResponse, RequestPermissionRequest } from "@agentclientprotocol/sdk/unstable";
import { createClient } from "../../../src/client/index.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { type Stage, type StageOptions, stage, textOf, updatesOf } from "./stage.ts";

const say = (text: string) => [{ type: "text" as const, text }];

describe("asks", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
    await writeFile(join(server.directory, "README.md"), "one\ntwo\n");
  });
  after(() => closers.close());
  const open = async (t: Parameters<typeof stage>[0], more: StageOptions = {}) => {
    const client = await stage(t, { server, ...more });
    const { sessionId: id } = await client.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
    const prompt = (text: string) =>
      client.agent.request<PromptResponse>("session/prompt", { sessionId: id, prompt: say(text) });
    return { ...client, id, prompt };
  };
  const requests = ({ messages }: Pick<Stage, "messages">, method = "session/request_permission") =>
    messages.filter(({ message }) => message.method === method).map(({ message }) => message);
  const asked = (client: Pick<Stage, "messages">): RequestPermissionRequest => {
    const [first] = requests(client);
    assert.ok(first, "the client was asked");
    return first.params as RequestPermissionRequest;
  };
  const choose =
    (kind: string) =>
    async ({ options }: RequestPermissionRequest) => ({
      outcome: { outcome: "selected" as const, optionId: options.find((one) => one.kind === kind)?.optionId ?? "" },
    });

  test("a permission shows call, place and diff, and the answer counts", async (t) => {
    const client = await open(t);
    client.onPermission(choose("allow_once"));
    assert.equal((await client.prompt("[[read-edit]]")).stopReason, "end_turn");
    const { toolCall, options } = asked(client);
    assert.deepEqual(
      options.map(({ kind }) => kind),
      ["allow_once", "allow_always", "reject_once"],
    );
    const path = join(server.directory, "README.md");
    assert.deepEqual([toolCall.kind, toolCall.title, toolCall.status], ["edit", "README.md", "pending"]);
    assert.equal(toolCall.locations?.[0]?.path, path);
    const added = "two\nAdded by Parley's scripted agent.\n";
    assert.deepEqual(toolCall.content, [{ type: "diff", path, oldText: "two\n", newText: added }]);
    const calls = updatesOf(client).filter(
      (update) => "toolCallId" in update && update.toolCallId === toolCall.toolCallId,
    );
    assert.equal(calls[0]?.sessionUpdate, "tool_call");
    const last = calls.at(-1);
    assert.ok(last?.sessionUpdate === "tool_call_update" && last.status === "completed");
    assert.ok(last.content?.some((one) => one.type === "diff" && one.newText === added));
  });

  test("a refusal fails the call, and the turn goes on", async (t) => {
    const client = await open(t);
    client.onPermission(choose("reject_once"));
    assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /did not run it/);
    const last = updatesOf(client).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
    assert.ok(last?.sessionUpdate === "tool_call_update" && last.status === "failed");
  });

  test("a client that cannot ask refuses", async (t) => {
    const client = await open(t);
    client.onPermission(() => Promise.reject(new Error("no screen")));
    assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /did not run it/);
  });

  test("an answer that is none refuses", async (t) => {
    const odd = [{}, null, { outcome: "selected" }, { outcome: { outcome: "selected" } }, "yes"];
    for (const answer of odd) {
      const client = await open(t);
      client.onPermission(async () => answer as never);
      assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn", JSON.stringify(answer));
      assert.match(textOf(client.updates), /did not run it/);
    }
    for (const content of [undefined, "red", [1]]) {
      const form = await open(t, {
        capabilities: { elicitation: { form: {} } },
        requests: { "elicitation/create": async () => ({ action: "accept", content }) },
      });
      assert.equal((await form.prompt("[[question]]")).stopReason, "end_turn");
    }
  });

  test("an answer and a cancel whose connection broke are sent again", async (t) => {
    const tried: string[] = [];
    const send = (url: string, init: RequestInit): Promise<Response> => {
      const [, what] = /\/(asks|cancel)\b/.exec(url) ?? [];
      if (init.method !== "POST" || what === undefined) return fetch(url, init);
      tried.push(what);
      if (tried.length % 2 === 0) return fetch(url, init);
      return Promise.reject(new TypeError("fetch failed", { cause: new Error("other side closed") }));
    };
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    client.onPermission(choose("allow_once"));
    assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /You allowed it \(once\)/);
    const slow = client.prompt("[[slow]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await slow).stopReason, "cancelled");
    assert.deepEqual(tried, ["asks", "asks", "cancel", "cancel"]);
  });

  test("a cancel of its own prompt that waits leaves the ask of another's turn to the client", async (t) => {
    const client = await open(t);
    const theirs = server.api.ask(client.id, "[[ask ls]]");
    await eventually("the client is asked", () => requests(client).length === 1);
    const mine = client.prompt("mine");
    await eventually("it waits", async () => (await server.api.session(client.id)).queue.length === 1);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await mine).stopReason, "cancelled");
    await eventually("the client is asked again", () => requests(client).length === 2);
    client.onPermission(choose("allow_once"));
    assert.equal((await theirs).reason, "end_turn");
    await eventually("its end came", () => textOf(client.updates).includes("You allowed it (once)"));
  });

  test("an answer from elsewhere takes the request from the client", async (t) => {
    const client = await open(t);
    let isTaken = false;
    client.onPermission(async (_, signal) => {
      await eventually("the request is cancelled", () => signal.aborted);
      isTaken = true;
      return { outcome: { outcome: "selected", optionId: "reject" } };
    });
    const prompt = client.prompt("[[ask ls]]");
    await eventually("the client is asked", () => requests(client).length === 1);
    const [ask] = await server.api.asks(client.id);
    await server.api.expect(200, "POST", `/v1/sessions/${client.id}/asks/${ask?.id}`, { outcome: "once" });
    assert.equal((await prompt).stopReason, "end_turn");
    await eventually("the client was told", () => isTaken);
    assert.match(textOf(client.updates), /You allowed it \(once\)/);
    assert.equal(requests(client, "$/cancel_request").length, 1);
  });

  test("a rule's answer is never asked", async (t) => {
    const client = await open(t);
    await server.api.expect(200, "PATCH", `/v1/sessions/${client.id}`, {
      permissions: [{ action: "bash", pattern: "ls", verdict: "allow" }],
    });
    assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn");
    assert.deepEqual(requests(client), []);
  });

  test("a cancel ends the requests, and a late answer is harmless", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[ask ls]]");
    await eventually("the client is asked", () => requests(client).length === 1);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
    client.onPermission(choose("allow_once"));
    assert.equal((await client.prompt("on")).stopReason, "end_turn");
  });

  test("asks of two sessions do not wait for each other", async (t) => {
    const client = await open(t);
    const { sessionId: other } = await client.agent.request("session/new", { cwd: server.directory, mcpServers: [] });
    client.onPermission(async (request) => {
      if (request.sessionId === client.id) await eventually("the other is done", () => isDone);
      return choose("allow_once")(request);
    });
    let isDone = false;
    const first = client.prompt("[[ask ls]]");
    await eventually("the client is asked", () => requests(client).length === 1);
    const second = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: other,
      prompt: say("[[ask ls]]"),
    });
    assert.equal((await second).stopReason, "end_turn");
    isDone = true;
    assert.equal((await first).stopReason, "end_turn");
  });

  test("a client that goes leaves the ask to others, and one that comes gets it", async (t) => {
    let isAnswered = false;
    const send = (url: string, init: RequestInit): Promise<Response> => {
      isAnswered ||= init.method === "POST" && url.includes("/asks/");
      return fetch(url, init);
    };
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    client.prompt("[[ask ls]]").catch(() => {});
    await eventually("the client is asked", () => requests(client).length === 1);
    await client.close();
    await staysSo("the ask is left alone", () => !isAnswered);
    assert.equal((await server.api.asks(client.id)).length, 1);
    const second = await stage(t, { server });
    second.onPermission(choose("allow_once"));
    await second.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    await eventually("it is answered", async () => (await server.api.session(client.id)).status === "idle");
    await eventually("the rest came", () => textOf(second.updates).includes("You allowed it (once)."));
  });

  test("a sub-agent's ask reaches the client, its call is shown and its words are the call's", async (t) => {
    for (const depth of ["", " deep"]) {
      const client = await open(t);
      client.onPermission(choose("allow_once"));
      assert.equal((await client.prompt(`[[subagent ask${depth}]]`)).stopReason, "end_turn");
      assert.equal(textOf(client.updates), "My helper is done.");
      const calls = updatesOf(client).filter((update) => update.sessionUpdate === "tool_call");
      const [task, ...others] = calls;
      assert.equal(task?.kind, "think");
      const bash = others.at(-1);
      const meta = bash?._meta?.parley as { session: string; parentCall: string };
      assert.equal(meta.parentCall, calls.at(-2)?.toolCallId);
      const { toolCall, sessionId } = asked(client);
      assert.deepEqual([sessionId, toolCall.toolCallId], [client.id, bash?.toolCallId]);
      const unsettled = new Set(calls.map(({ toolCallId }) => toolCallId));
      for (const update of updatesOf(client))
        if (update.sessionUpdate === "tool_call_update" && update.status === "completed")
          unsettled.delete(update.toolCallId);
      assert.deepEqual([...unsettled], [], "every call is settled");
      const last = client.messages.at(-1)?.message;
      assert.ok(last && "result" in last);
    }
  });

  test("a client that comes is shown the open ask of a sub-agent by its call, and what comes of it", async (t) => {
    for (const method of ["session/load", "session/resume"] as const) {
      const client = await open(t);
      const prompt = client.prompt("[[subagent ask deep]]");
      await eventually("the client is asked", () => requests(client).length === 1);
      const second = await stage(t, { server });
      second.onPermission(choose("allow_once"));
      await second.agent.request(method, { sessionId: client.id, cwd: server.directory, mcpServers: [] });
      assert.equal((await prompt).stopReason, "end_turn");
      await eventually("the rest came", () => textOf(second.updates).includes("My helper is done."));
      assert.equal(requests(second).length, 1);
      assert.equal(asked(second).toolCall.toolCallId, asked(client).toolCall.toolCallId);
      const last = updatesOf(second).findLast(
        (update) => "toolCallId" in update && update.toolCallId === asked(client).toolCall.toolCallId,
      );
      assert.ok(last && "status" in last && last.status === "completed");
    }
  });

  test("a sub-agent's calls are part of the history", async (t) => {
    const client = await open(t);
    client.onPermission(choose("allow_once"));
    await client.prompt("[[subagent ask]]");
    const second = await stage(t, { server });
    await second.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    const calls = updatesOf(second).flatMap((one) =>
      one.sessionUpdate === "tool_call" ? [[one.name, one.status]] : [],
    );
    assert.deepEqual(calls, [
      ["task", "completed"],
      ["bash", "completed"],
    ]);
  });

  test("a question is a form where the client has forms", async (t) => {
    const forms: unknown[] = [];
    const client = await open(t, {
      capabilities: { elicitation: { form: {} } },
      requests: {
        "elicitation/create": async (params) => {
          forms.push(params);
          return { action: "accept", content: { q1: "red", q1_other: "blue" } };
        },
      },
    });
    assert.equal((await client.prompt("[[question]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /You chose: blue/);
    assert.equal(requests(client).length, 0);
    assert.equal(forms.length, 1);
  });

  test("a declined form is no answer", async (t) => {
    const client = await open(t, {
      capabilities: { elicitation: { form: {} } },
      requests: { "elicitation/create": async () => ({ action: "decline" }) },
    });
    assert.equal((await client.prompt("[[question]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /You chose: nothing/);
  });

  test("without forms a question is a request with its options", async (t) => {
    const client = await open(t);
    client.onPermission(async ({ options }) => ({
      outcome: { outcome: "selected", optionId: options.find(({ name }) => name === "green")?.optionId ?? "" },
    }));
    assert.equal((await client.prompt("[[question]]")).stopReason, "end_turn");
    assert.match(textOf(client.updates), /You chose: green/);
    assert.match(JSON.stringify(requests(client)[0]?.params), /in your own words/);
  });
});
