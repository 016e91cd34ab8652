import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NewSessionResponse, PromptResponse } from "@agentclientprotocol/sdk";
import { openLog } from "../../../src/log/data-log.ts";
import { FullDisk } from "../../gateway/faults/full-disk.ts";
import { eventually } from "../../support/eventually.ts";
import { type Cleanup, startServer } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { stage, textOf, updatesOf } from "./stage.ts";
import { openV2 } from "./v2-stage.ts";

const say = (text: string) => [{ type: "text" as const, text }];

async function serverOn(t: Cleanup, disk: FullDisk) {
  return startServer(t, { openLog: async (options) => disk.wrap(await openLog(options)) });
}

async function open(t: Cleanup) {
  const disk = new FullDisk();
  const server = await serverOn(t, disk);
  const client = await stage(t, { server, capabilities: { session: { notices: {} } } });
  const begun = { cwd: server.directory, mcpServers: [] };
  const { sessionId: id } = await client.agent.request<NewSessionResponse>("session/new", begun);
  const prompt = (text: string) =>
    client.agent.request<PromptResponse>("session/prompt", { sessionId: id, prompt: say(text) });
  const cancel = () => client.agent.notify("session/cancel", { sessionId: id });
  const room = async () => {
    disk.full = false;
    await eventually("the end is stored", async () => {
      const { status, queue } = await server.api.session(id);
      return status === "idle" && queue.length === 0;
    });
  };
  return { ...client, disk, room, server, id, prompt, cancel };
}

describe("while the disk is full", () => {
  test("a cancel stops the agent and answers the prompt, and the session goes on when there is room", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[slow 1000000]]");
    await eventually("it works", () => textOf(client.updates) !== "");
    client.disk.full = true;
    await client.cancel();
    assert.equal((await prompt).stopReason, "cancelled");
    const notice = updatesOf(client).find((one) => one.sessionUpdate === "notice");
    assert.match(notice?.title ?? "", /was stopped; the turn's end is stored when the log takes writes again/);
    // Nothing runs for the client: there is no turn to give words to, and one that loads the session is told of none.
    const steer = { sessionId: client.id, prompt: say("left"), idleBehavior: "promptRequired" };
    assert.deepEqual(await client.agent.request("_session/steering", steer), {
      outcome: "promptRequired",
      reason: "noRunningTurn",
    });
    await client.agent.request("session/load", { sessionId: client.id, cwd: client.server.directory, mcpServers: [] });
    // A prompt that cannot be stored is refused, and does not hang.
    await assert.rejects(client.prompt("more"), /no space left/);
    const notices = updatesOf(client).flatMap((one) => (one.sessionUpdate === "notice" ? [one.title] : []));
    assert.deepEqual(notices, [notice?.title]);
    const told = client.updates.length;
    await client.room();
    assert.equal((await client.prompt("hello")).stopReason, "end_turn");
    const after = client.updates.slice(told);
    assert.match(textOf(after), /hello/);
    assert.doesNotMatch(textOf(after), /still/, "words of the turn that was stopped are not told after its end");
  });

  test("a cancel settles the open call before its answer, once, and takes its ask from the client", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[ask ls]]");
    const asks = () => client.messages.filter(({ message }) => message.method === "session/request_permission").length;
    await eventually("the client is asked", () => asks() === 1);
    client.disk.full = true;
    await client.cancel();
    assert.equal((await prompt).stopReason, "cancelled");
    const failed = () =>
      updatesOf(client).filter((one) => one.sessionUpdate === "tool_call_update" && one.status === "failed").length;
    assert.equal(failed(), 1);
    await client.room();
    assert.equal((await client.prompt("hello")).stopReason, "end_turn");
    assert.deepEqual([asks(), failed()], [1, 1]);
  });

  test("a server that ends has settled the call and ended the turn for the client, once", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[ask ls]]");
    await eventually("the client is asked", () =>
      client.messages.some(({ message }) => message.method === "session/request_permission"),
    );
    client.disk.full = true;
    await Promise.all([client.end(), assert.rejects(prompt, { code: -32603, data: { code: "interrupted" } })]);
    const failed = () =>
      updatesOf(client).filter((one) => one.sessionUpdate === "tool_call_update" && one.status === "failed").length;
    assert.equal(failed(), 1);
    await client.end();
    await client.server.api.call("POST", `/v1/sessions/${client.id}/cancel`, {});
    await client.room();
    assert.equal((await client.prompt("hello")).stopReason, "end_turn");
    assert.equal(failed(), 1);
  });

  test("a turn's own end, which is on its way from a server that ends, is told", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[slow 200]]");
    await eventually("the turn writes", () =>
      updatesOf(client).some(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk"),
    );
    await Promise.all([
      client.end(),
      client.server.api.call("POST", `/v1/sessions/${client.id}/cancel`, {}),
      prompt.then(({ stopReason }) => assert.equal(stopReason, "cancelled")),
    ]);
  });

  test("prompts that wait are taken back with the turn, and get none when there is room", async (t) => {
    const client = await open(t);
    const first = client.prompt("[[slow 1000000]]");
    await eventually("it works", () => textOf(client.updates) !== "");
    const second = client.prompt("second");
    await eventually("it waits", async () => (await client.server.api.session(client.id)).queue.length === 1);
    client.disk.full = true;
    await client.cancel();
    assert.deepEqual([(await first).stopReason, (await second).stopReason], ["cancelled", "cancelled"]);
    await client.room();
    assert.equal((await client.server.api.session(client.id)).turns, 1);
  });

  test("a request that is taken back ends its prompt, too", async (t) => {
    const client = await open(t);
    const stop = new AbortController();
    const prompt = client.agent.request(
      "session/prompt",
      { sessionId: client.id, prompt: say("[[slow 1000000]]") },
      { cancellationSignal: stop.signal },
    );
    await eventually("it works", () => textOf(client.updates) !== "");
    client.disk.full = true;
    stop.abort();
    await assert.rejects(prompt, { code: -32800 });
    await client.room();
  });

  test("a request that is taken back ends its prompt once, also when the session was loaded meanwhile", async (t) => {
    const client = await open(t);
    const stop = new AbortController();
    const request = { sessionId: client.id, prompt: say("[[ask ls]]") };
    const prompt = client.agent.request("session/prompt", request, { cancellationSignal: stop.signal });
    const asks = () => client.messages.filter(({ message }) => message.method === "session/request_permission").length;
    await eventually("the client is asked", () => asks() === 1);
    await client.agent.request("session/load", { sessionId: client.id, cwd: client.server.directory, mcpServers: [] });
    await eventually("the client is asked again", () => asks() === 2);
    client.disk.full = true;
    stop.abort();
    await assert.rejects(prompt, { code: -32800 });
    const failed = () =>
      updatesOf(client).filter((one) => one.sessionUpdate === "tool_call_update" && one.status === "failed").length;
    assert.equal(failed(), 1);
    const told = client.updates.length;
    await client.room();
    assert.equal((await client.prompt("hello")).stopReason, "end_turn");
    assert.deepEqual([asks(), failed()], [2, 1]);
    assert.match(textOf(client.updates.slice(told)), /hello/);
  });

  test("a session that is closed answers its prompt, and the close", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[slow 1000000]]");
    await eventually("it works", () => textOf(client.updates) !== "");
    client.disk.full = true;
    await client.agent.request("session/close", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
    await client.room();
  });

  test("in version 2 one idle state ends the turn, also for a client that comes back to it", async (t) => {
    const disk = new FullDisk();
    const server = await serverOn(t, disk);
    const client = await openV2(t, server);
    await client.prompt("[[slow 1000000]]");
    disk.full = true;
    await client.agent.notify("session/cancel", { sessionId: client.id });
    await eventually("the turn is over for the client", () => client.idles().length === 1);
    assert.equal(client.idles()[0]?.stopReason, "cancelled");
    await client.agent.request("session/resume", { sessionId: client.id, cwd: server.directory });
    assert.equal(client.states().at(-1)?.state, "idle");
    const told = client.states().length;
    disk.full = false;
    await eventually("the end is stored", async () => (await server.api.session(client.id)).status === "idle");
    await staysSo("no second end is told", () => client.states().length === told);
  });
});
