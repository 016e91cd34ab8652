import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type ForkSessionResponse,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { createClient } from "../../../src/client/index.ts";
import { startProxy } from "../../client/cutting-proxy.ts";
import { quick, seeded } from "../../client/support.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type StageOptions, stage, textOf, type Update, updatesOf } from "./stage.ts";

const say = (text: string) => [{ type: "text" as const, text }];
const ofKind = <K extends Update["sessionUpdate"]>(updates: readonly Update[], kind: K) =>
  updates.filter((one): one is Extract<Update, { sessionUpdate: K }> => one.sessionUpdate === kind);

describe("a session that others use, too", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startServer(closers);
  });
  after(() => closers.close());
  const open = async (t: Parameters<typeof stage>[0], more: StageOptions = {}, agentName = "scripted") => {
    const client = await stage(t, { server, ...more });
    const { sessionId: id } = await client.agent.request<NewSessionResponse>("session/new", {
      cwd: server.directory,
      mcpServers: [],
      _meta: { parley: { agent: agentName } },
    });
    const prompt = (text: string) =>
      client.agent.request<PromptResponse>("session/prompt", { sessionId: id, prompt: say(text) });
    return { ...client, id, prompt };
  };

  test("shows what another client asked and what came of it", async (t) => {
    const client = await open(t);
    await server.api.ask(client.id, "from elsewhere");
    await eventually("it came", () => textOf(client.updates).endsWith("from elsewhere"));
    assert.equal(textOf(client.updates, "user_message_chunk"), "from elsewhere");
    assert.equal((await client.prompt("mine")).stopReason, "end_turn");
    assert.equal(textOf(client.updates, "user_message_chunk"), "from elsewhere", "its own prompts are not told back");
  });

  test("shows choices that another client made", async (t) => {
    const client = await open(t);
    await server.api.expect(200, "PATCH", `/v1/sessions/${client.id}`, { mode: "plan", title: "Renamed" });
    await eventually("the title came", () =>
      ofKind(updatesOf(client), "session_info_update").some(({ title }) => title === "Renamed"),
    );
    await eventually("the choices came", () => ofKind(updatesOf(client), "config_option_update").length === 1);
    assert.equal(ofKind(updatesOf(client), "current_mode_update")[0]?.currentModeId, "plan");
  });

  test("answers a prompt that another client withdraws", async (t) => {
    const client = await open(t);
    const first = client.prompt("[[slow]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const second = client.prompt("two");
    await eventually("it waits", async () => (await server.api.session(client.id)).queue.length === 1);
    const [waiting] = (await server.api.session(client.id)).queue;
    await server.api.expect(204, "DELETE", `/v1/sessions/${client.id}/prompts/${waiting?.id}`);
    assert.equal((await second).stopReason, "cancelled");
    await server.api.cancel(client.id);
    assert.equal((await first).stopReason, "cancelled");
  });

  test("a cancel does not drop the prompts of others", async (t) => {
    const client = await open(t);
    const mine = client.prompt("[[slow]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const theirs = server.api.ask(client.id, "theirs");
    await eventually("it waits", async () => (await server.api.session(client.id)).queue.length === 1);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await mine).stopReason, "cancelled");
    assert.equal((await theirs).reason, "end_turn");
  });

  test("a cancel that comes late stops no turn of another client", async (t) => {
    const begun = Promise.withResolvers<void>();
    const send = async (url: string, init: RequestInit): Promise<Response> => {
      if (url.endsWith("/cancel")) await begun.promise;
      return fetch(url, init);
    };
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    const mine = client.prompt("[[slow 300]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const theirs = server.api.ask(client.id, "[[slow 300]]");
    await eventually("it waits", async () => (await server.api.session(client.id)).queue.length === 1);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await mine).stopReason, "end_turn");
    await eventually("theirs runs", async () => (await server.api.session(client.id)).queue.length === 0);
    begun.resolve();
    assert.equal((await theirs).reason, "end_turn");
  });

  test("an older way to choose, whose response tells nothing, is followed by the choices", async (t) => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const late = () =>
      new TransformStream<Uint8Array, Uint8Array>({
        async transform(chunk, controller) {
          if (isHeld) await held.promise;
          controller.enqueue(chunk);
        },
      });
    const send = async (url: string, init: RequestInit): Promise<Response> => {
      const response = await fetch(url, init);
      return url.includes("/stream") ? new Response(response.body?.pipeThrough(late()), response) : response;
    };
    const client = await open(t, { acp: { client: async () => createClient({ url: server.api.url, fetch: send }) } });
    await client.prompt("hello");
    isHeld = true;
    await client.agent.request("session/set_mode", { sessionId: client.id, modeId: "plan" });
    held.resolve();
    await eventually("the choices came", () => ofKind(updatesOf(client), "config_option_update").length === 1);
    const [update] = ofKind(updatesOf(client), "config_option_update");
    assert.equal(update?.configOptions.find(({ id }) => id === "mode")?.currentValue, "plan");
  });

  test("a busy agent is a notice for a prompt that waits, and for a client that comes", async (t) => {
    const capabilities = { session: { notices: {} } };
    const client = await open(t, { capabilities });
    const slow = client.prompt("[[slow]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const waiting = client.prompt("two");
    const titles = (updates: readonly Update[]) => ofKind(updates, "notice").map(({ title }) => title);
    await eventually("it is told", () => titles(updatesOf(client)).length === 1);
    assert.deepEqual(titles(updatesOf(client)), ["The agent is busy: number 1 in the queue"]);
    const second = await stage(t, { server, capabilities });
    await second.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    await eventually("it is told", () => titles(updatesOf(second)).length === 1);
    assert.deepEqual(titles(updatesOf(second)), ["The agent is busy: a turn runs here"]);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.deepEqual([(await slow).stopReason, (await waiting).stopReason], ["cancelled", "cancelled"]);
  });

  test("prompts wait for each other, and each response comes before the next turn", async (t) => {
    const client = await open(t);
    const answers = await Promise.all(["one", "two", "three"].map((text) => client.prompt(text)));
    assert.deepEqual(
      answers.map(({ stopReason }) => stopReason),
      ["end_turn", "end_turn", "end_turn"],
    );
    const order = client.messages.flatMap(({ from, message }) => {
      if (from !== "agent") return [];
      if (message.id !== undefined && "result" in message && Number(message.id) >= 2) return [`answer ${message.id}`];
      const text = JSON.stringify(message).match(/"text":"(one|two|three)"/)?.[1];
      return text ? [text] : [];
    });
    assert.deepEqual(order, ["one", "answer 2", "two", "answer 3", "three", "answer 4"]);
  });

  test("$/cancel_request takes back that prompt alone", async (t) => {
    const client = await open(t);
    const first = client.prompt("[[slow]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const stop = new AbortController();
    const waiting = client.agent.request<PromptResponse>(
      "session/prompt",
      { sessionId: client.id, prompt: say("two") },
      { cancellationSignal: stop.signal },
    );
    await eventually("it waits", async () => (await server.api.session(client.id)).queue.length === 1);
    stop.abort();
    await assert.rejects(waiting, (error) => error instanceof RequestError && error.code === -32800);
    assert.notEqual((await server.api.session(client.id)).status, "idle");
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await first).stopReason, "cancelled");
  });

  test("words are given to the running turn", async (t) => {
    const client = await open(t);
    const steer = (more: object) =>
      client.agent.request<{ outcome: string }>("_session/steering", {
        sessionId: client.id,
        prompt: say("left"),
        ...more,
      });
    assert.deepEqual(await steer({ idleBehavior: "promptRequired" }), {
      outcome: "promptRequired",
      reason: "noRunningTurn",
    });
    const prompt = client.prompt("[[slow 1500]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    assert.deepEqual(await steer({}), { outcome: "injected" });
    assert.equal((await prompt).stopReason, "end_turn");
    assert.match(textOf(client.updates), /added: .*left/);
    assert.equal(textOf(client.updates, "user_message_chunk"), "");
    assert.deepEqual(await steer({}), { outcome: "startedNewTurn" });
    await eventually("the turn is over", async () => (await server.api.session(client.id)).turns === 2);
  });

  test("a retry is a notice with attempt and time, where the client shows notices", async (t) => {
    const client = await open(t, { capabilities: { session: { notices: {} } } });
    await client.prompt("[[retry]]");
    const notices = ofKind(updatesOf(client), "notice");
    assert.match(notices[0]?.title ?? "", /^Retrying, attempt 1, in \d+ s$/);
    assert.equal(notices[0]?.description, "the scripted model is busy");
  });

  test("/compact is a compaction, shown as the client can", async (t) => {
    const plain = await open(t, {}, "house");
    assert.equal((await plain.prompt("hello")).stopReason, "end_turn");
    const before = textOf(plain.updates).length;
    await eventually("the command is offered", () =>
      ofKind(updatesOf(plain), "available_commands_update").some(({ availableCommands }) =>
        availableCommands.some(({ name }) => name === "compact"),
      ),
    );
    assert.equal((await plain.prompt("/compact")).stopReason, "end_turn");
    assert.ok(textOf(plain.updates).length > before, "the summary is the answer");
    assert.ok(!updatesOf(plain).some(({ sessionUpdate }) => sessionUpdate.startsWith("compaction")));
    const able = await open(t, { capabilities: { session: { compaction: {} } } }, "house");
    await able.prompt("hello");
    const words = textOf(able.updates);
    assert.equal((await able.prompt("/compact")).stopReason, "end_turn");
    assert.equal(textOf(able.updates), words);
    const states = ofKind(updatesOf(able), "compaction_update").map(({ status }) => status);
    assert.deepEqual(states, ["in_progress", "completed"]);
    assert.ok(ofKind(updatesOf(able), "compaction_summary_chunk").length > 0);
  });

  test("a fork begins with the past and goes its own way", async (t) => {
    const client = await open(t, {}, "house");
    await client.prompt("hello");
    const forked = await client.agent.request<ForkSessionResponse>("session/fork", {
      sessionId: client.id,
      cwd: server.directory,
      mcpServers: [],
    });
    assert.notEqual(forked.sessionId, client.id);
    const answer = client.agent.request<PromptResponse>("session/prompt", {
      sessionId: forked.sessionId,
      prompt: say("more"),
    });
    assert.equal((await answer).stopReason, "end_turn");
    assert.equal((await server.api.session(forked.sessionId)).turns, 2);
    const scripted = await open(t);
    const refused = client.agent.request("session/fork", {
      sessionId: scripted.id,
      cwd: server.directory,
      mcpServers: [],
    });
    await assert.rejects(refused, /another session's past/);
  });

  test("a session that is loaded in the middle of a turn goes on where the history ends", async (t) => {
    const client = await open(t);
    const prompt = client.prompt("[[tools 1]] [[slow 700]] [[tools 1]]");
    await eventually("it works", () => textOf(client.updates).includes("still"));
    const second = await stage(t, { server });
    await second.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    const third = await stage(t, { server });
    await third.agent.request("session/resume", { sessionId: client.id, cwd: server.directory });
    assert.equal((await prompt).stopReason, "end_turn");
    await eventually("all of it came", () => textOf(second.updates) === textOf(client.updates));
    await eventually("the rest came", () => textOf(third.updates).endsWith("I ran 1 tools."));
    assert.ok(textOf(client.updates).endsWith(textOf(third.updates)));
  });

  test("nothing is lost or doubled by cuts of the stream", async (t) => {
    const random = seeded(7);
    const port = Number(new URL(server.api.url).port);
    await using proxy = await startProxy(port, () => ({
      bytes: 600 + Math.floor(random() * 4_000),
      how: random() < 0.5 ? "fin" : "reset",
    }));
    const { url } = proxy;
    const client = await open(t, { acp: { client: async () => createClient({ url, backoff: quick, retries: 50 }) } });
    const answer = client.prompt("[[tools 3]] [[flood 400]] [[reasoning]] [[tools 2]]");
    await eventually("it was cut", () => proxy.cuts > 5);
    proxy.heal();
    assert.equal((await answer).stopReason, "end_turn");
    const flood = Array.from({ length: 400 }, (_, at) => `word ${at + 1} `).join("");
    assert.equal(textOf(client.updates), `I ran 3 tools.${flood}I have thought about it.I ran 2 tools.`);
    const created = ofKind(updatesOf(client), "tool_call").map(({ toolCallId }) => toolCallId);
    assert.equal(new Set(created).size, 5);
    assert.equal(created.length, 5);
  });

  test("servers of tools that the agent does not take are left out, with a notice", async (t) => {
    const client = await stage(t, { server, capabilities: { session: { notices: {} } } });
    const servers = [{ name: "docs", command: "/bin/true", args: [], env: [] }];
    await client.agent.request("session/new", { cwd: server.directory, mcpServers: servers });
    await eventually("the notice came", () => ofKind(updatesOf(client), "notice").length === 1);
    assert.match(ofKind(updatesOf(client), "notice")[0]?.title ?? "", /scripted.*docs/);
  });

  test("an agent without credentials says how to log in", async (t) => {
    const real = createClient({ url: server.api.url });
    const agent: typeof real.agent = async (name, directory) => ({
      ...(await real.agent(name, directory)),
      credentials: "missing",
      login: "run `scripted login`",
    });
    const client = await stage(t, { server, acp: { agent: "scripted", client: async () => ({ ...real, agent }) } });
    const isAuth = (error: unknown) =>
      error instanceof RequestError && error.code === -32000 && /scripted login/.test(error.message);
    await assert.rejects(client.agent.request("session/new", { cwd: server.directory, mcpServers: [] }), isAuth);
    await assert.rejects(client.agent.request("authenticate", { methodId: "agent-login" }), isAuth);
  });

  test("a prompt whose end is no longer kept is answered", async (t) => {
    const small = await startServer(t, { retainEvents: 30 });
    const port = Number(new URL(small.api.url).port);
    await using proxy = await startProxy(port);
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const fetchLate = async (url: string, init: RequestInit): Promise<Response> => {
      if (isHeld && url.includes("/stream")) await held.promise;
      return fetch(url, init);
    };
    const client = await stage(t, {
      server: small,
      acp: { client: async () => createClient({ url: proxy.url, backoff: quick, fetch: fetchLate }) },
    });
    const { sessionId } = await client.agent.request("session/new", { cwd: small.directory, mcpServers: [] });
    const answer = client.agent.request<PromptResponse>("session/prompt", { sessionId, prompt: say("[[slow 300]]") });
    await eventually("it works", () => textOf(client.updates).includes("still"));
    isHeld = true;
    small.parley.cutStreams();
    await eventually(
      "the turn is over",
      async () =>
        (await small.api.session(sessionId)).turns === 1 && (await small.api.session(sessionId)).status === "idle",
    );
    for (let turn = 0; turn < 4; turn++) await small.api.ask(sessionId, "hello");
    await eventually("old turns are dropped", async () => (await small.api.session(sessionId)).first > 30);
    held.resolve();
    await assert.rejects(answer, /no longer kept/);
    const next = client.agent.request<PromptResponse>("session/prompt", { sessionId, prompt: say("next") });
    assert.equal((await next).stopReason, "end_turn");
  });

  test("an agent that is not there is told with what to do", async (t) => {
    const client = await stage(t, { server, acp: { agent: "nobody" } });
    await assert.rejects(client.agent.request("session/new", { cwd: server.directory, mcpServers: [] }), /nobody/);
  });
});
