import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse, PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { type Fields, textIn } from "../../../src/core/json/fields.ts";
import { Closers } from "../../support/closers.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type StageOptions, stage, textOf, updatesOf } from "./stage.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const update = (sessionUpdate: string, facts: object = {}) => ({ update: { sessionUpdate, ...facts } });
const words = (text: string) => update("agent_message_chunk", { content: { type: "text", text } });

/** A server whose agent "told" is the stand-in, which answers requests as it is told. */
function startTold(t: Parameters<typeof startServer>[0], told: object = {}): Promise<TestServer> {
  const env = { STAND_IN: JSON.stringify(told) };
  return startServer(t, { agents: { told: { acp: [process.execPath, PROGRAM], env } } });
}

/** A client with a session of the stand-in, whose prompts are played. */
async function open(t: Parameters<typeof stage>[0], server: TestServer, more: StageOptions = {}) {
  const client = await stage(t, { server, acp: { agent: "told" }, ...more });
  const opened: NewSessionResponse = await client.agent.request("session/new", {
    cwd: server.directory,
    mcpServers: [],
  });
  const { sessionId: id } = opened;
  const play = (steps: object[], end: object = { stopReason: "end_turn" }): Promise<PromptResponse> => {
    const text = JSON.stringify({ steps, end });
    return client.agent.request("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] });
  };
  return { ...client, id, opened, play };
}

describe("in front of an agent of the protocol", () => {
  const closers = new Closers();
  let server: TestServer;
  before(async () => {
    server = await startTold(closers);
  });
  after(() => closers.close());

  test("a permission request that the agent takes back is taken back from the client", async (t) => {
    const client = await open(t, server);
    const asked = Promise.withResolvers<void>();
    const withdrawn: string[] = [];
    client.onPermission(({ toolCall: { title } }, signal) => {
      if (title === "keep") return asked.promise.then(() => ({ outcome: { outcome: "selected", optionId: "once" } }));
      signal.addEventListener("abort", () => withdrawn.push(title ?? ""));
      asked.resolve();
      return new Promise(() => {});
    });
    const request = (title: string, facts: object) => {
      const toolCall = { toolCallId: title, title, kind: "fetch" };
      const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
      return { request: { method: "session/request_permission", params: { toolCall, options }, ...facts } };
    };
    const prompt = client.play([
      request("drop", { id: "d", wait: false }),
      request("keep", {}),
      { tell: { method: "$/cancel_request", params: { requestId: "d" } } },
      { answerOf: "d" },
      { until: "session/cancel" },
    ]);
    await eventually("the agent has its answer", () => textOf(client.updates).includes("-32800"));
    assert.deepEqual(await server.api.asks(client.id), []);
    await eventually("the client's dialog is closed", () => withdrawn.length === 1);
    assert.deepEqual(withdrawn, ["drop"]);
    await client.agent.notify("session/cancel", { sessionId: client.id });
    await prompt;
  });

  test("compactions have ids of their own, their summaries and their errors", async (t) => {
    const client = await open(t, server, { capabilities: { session: { compaction: {} } } });
    const is = (compactionId: string, status: string, more = {}) =>
      update("compaction_update", { compactionId, status, ...more });
    const piece = (compactionId: string, text: string) =>
      update("compaction_summary_chunk", { compactionId, content: { type: "text", text } });
    await client.play([
      words("before "),
      ...[is("a", "in_progress"), piece("a", "We spoke "), piece("a", "of the sea."), is("a", "completed")],
      words("between "),
      ...[is("b", "in_progress"), piece("b", "half"), is("b", "failed", { error: "no room" })],
      ...[is("c", "in_progress"), is("c", "cancelled")],
      words("after"),
    ]);
    const ids = new Map<string, string>();
    const shown = updatesOf(client).flatMap((one) => {
      if (!one.sessionUpdate.startsWith("compaction")) return [];
      const { compactionId, status, error, content } = one as Fields;
      const id = String(compactionId);
      if (!ids.has(id)) ids.set(id, "abc"[ids.size] ?? "?");
      return [[ids.get(id), status ?? textIn((content ?? {}) as Fields, "text"), ...(error ? [error] : [])]];
    });
    assert.deepEqual(shown, [
      ["a", "in_progress"],
      ["a", "We spoke of the sea."],
      ["a", "completed"],
      ["b", "in_progress"],
      ["b", "failed", "no room"],
      ["c", "in_progress"],
      ["c", "cancelled"],
    ]);
    assert.equal(textOf(client.updates), "before between after");
    const later = await stage(t, { server, capabilities: { session: { compaction: {} } } });
    await later.agent.request("session/load", { sessionId: client.id, cwd: server.directory, mcpServers: [] });
    const ended = updatesOf(later).flatMap((one) =>
      one.sessionUpdate === "compaction_update" ? [[ids.get(one.compactionId), one.status]] : [],
    );
    assert.deepEqual(ended, [
      ["a", "completed"],
      ["b", "failed"],
      ["c", "cancelled"],
    ]);
  });
});

/** A config option of one category, whose id is the category unless told. */
function select(category: string | undefined, values: readonly string[], id = category ?? "") {
  const options = values.map((value) => ({ value, name: value }));
  return { id, name: id, type: "select", currentValue: values[0], options, ...(category ? { category } : {}) };
}

/** The options of an answer: their values by their ids. */
const shownOf = ({ configOptions }: Pick<NewSessionResponse, "configOptions">): Record<string, string> =>
  Object.fromEntries(
    (configOptions ?? []).map((option) => [
      option.id,
      "options" in option ? (option.options as { value: string }[]).map(({ value }) => value).join(" ") : "",
    ]),
  );

test("modes and models that an agent adds in its session are listed and taken", async (t) => {
  const told = [select("mode", ["ask"]), select("model", ["m1"])];
  const more = [select("mode", ["ask", "own"]), select("model", ["m1", "m2"])];
  const server = await startTold(t, {
    "session/new": { sessionId: "sess-stand-in", configOptions: told },
    "session/set_config_option": {},
  });
  const client = await open(t, server);
  assert.deepEqual(shownOf(client.opened), { mode: "ask", model: "m1" });
  await client.play([update("config_option_update", { configOptions: more })]);
  for (const [configId, value] of [
    ["mode", "own"],
    ["model", "m2"],
  ] as const)
    await client.agent.request("session/set_config_option", { sessionId: client.id, configId, value });
  assert.deepEqual(
    [(await server.api.session(client.id)).mode, (await server.api.session(client.id)).model],
    ["own", "m2"],
  );
  const later = await stage(t, { server });
  const place = { cwd: server.directory, mcpServers: [] };
  const loaded = await later.agent.request("session/load", { sessionId: client.id, ...place });
  assert.deepEqual(shownOf(loaded), { mode: "ask own", model: "m1 m2" });
  const next = await open(t, server);
  assert.deepEqual(shownOf(next.opened), { mode: "ask", model: "m1" }, "a new session has those that it tells itself");
});

test("options of an agent whose ids stand for something else are shown by others, and can be set", async (t) => {
  const configOptions = [
    select("mode", ["ask", "auto"], "permission"),
    select(undefined, ["slow", "fast"], "mode"),
    select(undefined, ["x", "y"], "model"),
    select(undefined, ["low", "high"], "effort"),
    select("thought_level", ["some", "much"], "think"),
    select(undefined, ["a", "b"], "effort_2"),
  ];
  const server = await startTold(t, {
    "session/new": { sessionId: "sess-stand-in", configOptions },
    "session/set_config_option": {},
  });
  const client = await open(t, server);
  await client.play([]);
  const shown = {
    ...{ mode: "ask auto", mode_2: "slow fast", model_2: "x y" },
    ...{ effort: "some much", effort_2: "a b", effort_3: "low high" },
  };
  assert.deepEqual(shownOf(client.opened), shown);
  const values = { mode: "auto", mode_2: "fast", model_2: "y", effort: "much", effort_2: "b", effort_3: "high" };
  for (const [configId, value] of Object.entries(values)) {
    const answer = await client.agent.request("session/set_config_option", { sessionId: client.id, configId, value });
    const now = answer.configOptions.find(({ id }) => id === configId);
    assert.equal(now?.currentValue, value, configId);
  }
});
