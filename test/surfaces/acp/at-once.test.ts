import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse, PromptResponse, RequestPermissionRequest } from "@agentclientprotocol/sdk/unstable";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { stage, textOf } from "./stage.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));
const say = (text: string) => [{ type: "text" as const, text }];

describe("requests that come at once", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());
  const open = async (t: Parameters<typeof stage>[0]) => {
    const client = await stage(t, { server });
    const opened = await client.agent.request<NewSessionResponse>("session/new", {
      cwd: server.directory,
      mcpServers: [],
    });
    const { sessionId: id } = opened;
    const ask = <T>(method: string, more: object = {}) => client.agent.request<T>(method, { sessionId: id, ...more });
    const prompt = (text: string) => ask<PromptResponse>("session/prompt", { prompt: say(text) });
    return { ...client, opened, id, ask, prompt };
  };

  for (const text of ["[[ask ls]]", "[[question]]"]) {
    test(`a cancel and the answer to what was asked, which is no refusal: ${text}`, async (t) => {
      const client = await open(t);
      const answer = Promise.withResolvers<{ outcome: { outcome: "cancelled" } }>();
      const asked = Promise.withResolvers<RequestPermissionRequest>();
      client.onPermission((request) => {
        asked.resolve(request);
        return answer.promise;
      });
      const prompt = client.prompt(text);
      await asked.promise;
      const cancelled = client.agent.notify("session/cancel", { sessionId: client.id });
      answer.resolve({ outcome: { outcome: "cancelled" } });
      await cancelled;
      assert.equal((await prompt).stopReason, "cancelled");
      const events = await server.api.events(client.id);
      const resolved = events.filter(
        ({ type }) => type === "permission.resolved" || type === "question.resolved",
      ) as unknown as { data: { by?: { kind?: string } } }[];
      assert.equal(resolved.length, 1);
      assert.doesNotMatch(JSON.stringify(resolved), /"by":"client"|reject/, JSON.stringify(resolved));
    });
  }

  test("an answer without a choice and without a cancel refuses", async (t) => {
    const client = await open(t);
    client.onPermission(async () => ({ outcome: { outcome: "cancelled" } }));
    assert.equal((await client.prompt("[[ask ls]]")).stopReason, "end_turn");
    assert.match(JSON.stringify(await server.api.events(client.id)), /"outcome":"reject"/);
  });

  for (const method of ["session/close", "session/delete"]) {
    test(`${method} and a prompt, of which nothing runs on`, async (t) => {
      const client = await open(t);
      const one = client.prompt("[[slow]]");
      await eventually("the turn works", () => textOf(client.updates).includes("still"));
      const closed = client.ask(method);
      // The prompt comes while the turn is being stopped.
      await new Promise(setImmediate);
      const two = client.prompt("[[slow 60000]] second");
      await closed;
      assert.equal((await one).stopReason, "cancelled");
      assert.equal((await two).stopReason, "cancelled");
      if (method === "session/delete") return;
      const { turn, queue } = await server.api.session(client.id);
      assert.deepEqual([turn, queue], [null, []]);
    });
  }

  test("an answer by an option that a question does not have answers nothing", async (t) => {
    for (const optionId of ["00", "0x0", " 0 ", ""]) {
      const client = await open(t);
      client.onPermission(async () => ({ outcome: { outcome: "selected", optionId } }));
      await client.prompt("[[question]]");
      const events = await server.api.events(client.id);
      const resolved = events.find(({ type }) => type === "question.resolved");
      assert.match(JSON.stringify(resolved?.data), /"outcome":"rejected"/, optionId);
    }
  });

  test("steering and the prompt that it is about", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[slow 600]]");
    const steered = await client.ask("_session/steering", { prompt: say("more"), idleBehavior: "promptRequired" });
    assert.notDeepEqual(steered, { outcome: "promptRequired", reason: "noRunningTurn" });
    assert.equal((await prompt).stopReason, "end_turn");
  });

  test("a cancel of a session that the client has not opened stops its turn, and tells the client nothing of it", async (t) => {
    const [client, other] = [await open(t), await stage(t, { server })];
    const prompt = client.prompt("[[slow 60000]]");
    await eventually("the turn works", () => textOf(client.updates).includes("still"));
    await other.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
    assert.equal((await client.prompt("on")).stopReason, "end_turn");
    assert.deepEqual(other.updates, []);
  });

  test("a choice that stays as it is", async (t) => {
    const speed = { id: "speed", name: "Speed", type: "select", options: [{ value: "fast", name: "Fast" }] };
    const told = { "session/new": { sessionId: "sess-stand-in", configOptions: [speed] } };
    const agents = { told: { acp: [process.execPath, PROGRAM], env: { STAND_IN: JSON.stringify(told) } } } as const;
    const server = await startServer(t, { agents });
    const client = await stage(t, { server, acp: { agent: "told" } });
    const { sessionId, configOptions } = await client.agent.request<NewSessionResponse>("session/new", {
      cwd: server.directory,
      mcpServers: [],
    });
    const [option] = configOptions ?? [];
    assert.deepEqual([option?.id, option?.currentValue], ["speed", "default"]);
    const choice = { sessionId, configId: "speed", value: "default" };
    assert.deepEqual(await client.agent.request("session/set_config_option", choice), { configOptions });
  });
});
