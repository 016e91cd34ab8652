import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NewSessionResponse, PromptResponse, SetSessionConfigOptionResponse } from "@agentclientprotocol/sdk";
import { type AgentInfo, createClient, type ParleyClient } from "../../../src/client/index.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import { prime } from "../../../src/surfaces/acp/session/history.ts";
import { renewed } from "../../../src/surfaces/acp/session/offer-watch.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import { played, update, words } from "../../agents/acp/stage.ts";
import { eventually } from "../../support/eventually.ts";
import type { Cleanup } from "../../support/server.ts";
import { begun, ended, LogClient } from "./log-client.ts";
import { type Stage, stage, updatesOf } from "./stage.ts";
import { told } from "./watcher.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

const select = (id: string, category: string, values: readonly string[], currentValue = values[0]) => ({
  id,
  name: id,
  category,
  type: "select",
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});
const config = (models: readonly string[], modes: readonly string[]) => [
  select("model", "model", models),
  select("mode", "mode", modes),
];
const commands = (...names: string[]) =>
  update("available_commands_update", { availableCommands: names.map((name) => ({ name, description: name })) });

/** A client before an ACP agent whose sessions begin with one model and one mode. */
async function open(
  t: Cleanup,
  told: object = {},
): Promise<Stage & { id: string; prompt(text: string): Promise<PromptResponse> }> {
  const begun = { sessionId: "sess-stand-in", configOptions: config(["small"], ["ask"]) };
  const env = { STAND_IN: JSON.stringify({ "session/new": begun, ...told }) };
  const agents = { "stand-in": { acp: [process.execPath, STAND_IN] as const, env } };
  const client = await stage(t, { serverOptions: { agents, defaultAgent: "stand-in" } });
  const { sessionId: id } = await client.agent.request<NewSessionResponse>("session/new", {
    cwd: client.server.directory,
    mcpServers: [],
  });
  const prompt = (text: string) =>
    client.agent.request<PromptResponse>("session/prompt", { sessionId: id, prompt: [{ type: "text", text }] });
  return { ...client, id, prompt };
}

/** The values of a choice, as a client was told them last. */
function valuesOf(client: Stage, id: string): string[] | undefined {
  const told = updatesOf(client).findLast((one) => one.sessionUpdate === "config_option_update");
  const option = told?.configOptions.find((one) => one.id === id);
  return option?.type === "select" ? option.options.map((one) => ("value" in one ? one.value : "")) : undefined;
}

function commandsOf(client: Stage): string[] | undefined {
  const told = updatesOf(client).findLast((one) => one.sessionUpdate === "available_commands_update");
  return told?.availableCommands.map(({ name }) => name);
}

describe("a client that has a session open is told", () => {
  test("models and modes that the agent adds in a turn, though the choice stays", async (t) => {
    const client = await open(t);
    await client.prompt(played([words("hello")]));
    const configOptions = config(["small", "large"], ["ask", "plan"]);
    await client.prompt(played([words("hello again"), update("config_option_update", { configOptions })]));
    // Not eventually: what an agent tells in a turn comes before the turn's response.
    assert.deepEqual(valuesOf(client, "model"), ["small", "large"]);
    assert.deepEqual(valuesOf(client, "mode"), ["ask", "plan"]);
  });

  test("commands that the agent adds in a later turn", async (t) => {
    const client = await open(t, { noCommands: true });
    await client.prompt(played([words("hello")]));
    await client.prompt(played([words("hello again"), commands("review", "test")]));
    assert.deepEqual(commandsOf(client), ["review", "test", "compact"]);
  });

  test("a model that the agent has taken by itself, among those it has then", async (t) => {
    const client = await open(t);
    await client.prompt(played([words("hello")]));
    const configOptions = [select("model", "model", ["small", "large"], "large"), select("mode", "mode", ["ask"])];
    const steps = [update("config_option_update", { configOptions }), { until: "session/cancel" }];
    const prompt = client.prompt(played(steps, { stopReason: "cancelled" }));
    await eventually("the model is listed", () => valuesOf(client, "model")?.join() === "small,large");
    const told = updatesOf(client).findLast((one) => one.sessionUpdate === "config_option_update");
    assert.equal(told?.configOptions.find(({ id }) => id === "model")?.currentValue, "large");
    await client.agent.notify("session/cancel", { sessionId: client.id });
    assert.equal((await prompt).stopReason, "cancelled");
  });

  test("nothing where nothing changed", async (t) => {
    const client = await open(t);
    await client.prompt(played([words("hello")]));
    await eventually("the commands are told", () => commandsOf(client)?.length === 1);
    const configOptions = config(["small"], ["ask"]);
    await client.prompt(played([words("again"), update("config_option_update", { configOptions })]));
    await client.prompt(played([words("and again")]));
    const kinds = updatesOf(client).map((one) => one.sessionUpdate);
    assert.equal(kinds.filter((kind) => kind === "config_option_update").length, 0);
    assert.equal(kinds.filter((kind) => kind === "available_commands_update").length, 1);
  });

  test("the choices of another agent that serves the session from its first turn on", async (t) => {
    const client = await open(t);
    const other = createClient({ url: client.server.api.url });
    await other.session(client.id).update({ agent: "house" });
    await eventually("its modes are told", () => valuesOf(client, "mode")?.includes("plan") === true);
    assert.ok(!valuesOf(client, "mode")?.includes("ask"));
    const { configOptions } = await client.agent.request<SetSessionConfigOptionResponse>("session/set_config_option", {
      sessionId: client.id,
      configId: "mode",
      value: "plan",
    });
    assert.equal(configOptions.find(({ id }) => id === "mode")?.currentValue, "plan");
  });
});

/** A session that is watched by itself: its agent is asked when a test says so. */
async function watchedChoices(
  t: Cleanup,
  log: LogClient,
  look: (kept: boolean) => Promise<void>,
  facts: Partial<AgentInfo> = {},
) {
  const seen: string[] = [];
  const base = log.client();
  const agent: ParleyClient["agent"] = async (name, _, { kept = false } = {}) => {
    await look(kept);
    return { ...(await base.agent(name)), ...facts, name };
  };
  const front: Front = {
    update: async ({ offer, state }, update) => {
      if (update.type === "choice") seen.push(`${state.agent} with choices of ${(offer.info as AgentInfo).name}`);
      else seen.push(update.type);
    },
    permission: async () => undefined,
  };
  const client = async () => ({ ...base, agent }) as ParleyClient;
  const sessions = new Sessions({ client, version: "1", logger: silentLogger }, front);
  t.after(() => sessions.close());
  return { seen, session: await sessions.attach("ses_root", prime) };
}

test("choices of another agent are told when its offer is known", async (t) => {
  const log = new LogClient().begin("ses_root");
  const { seen } = await watchedChoices(t, log, async () => {});
  log.say("ses_root", { type: "session.updated", data: { agent: "other" } });
  await told();
  assert.deepEqual(seen, ["other with choices of other"]);
});

test("what was asked of an agent that serves the session no more is not taken for that of the present one", async (t) => {
  const log = new LogClient().begin("ses_root");
  const gate = Promise.withResolvers<void>();
  let looks = 0;
  const { seen, session } = await watchedChoices(t, log, async () => {
    looks += 1;
    if (looks === 2) await gate.promise;
  });
  const first = session.state.agent;
  log.say("ses_root", { type: "session.updated", data: { agent: "other" } });
  await told();
  log.say("ses_root", { type: "session.updated", data: { agent: first } });
  await told();
  gate.resolve();
  await told();
  assert.equal(session.info.name, first);
  assert.ok(
    seen.every((one) => one === `${first} with choices of ${first}`),
    seen.join(),
  );
});

test("the end of a turn waits a limited time for what its agent has told besides", async (t) => {
  const log = new LogClient().begin("ses_root");
  let isSlow = false;
  const never = new Promise<void>(() => {});
  const { seen } = await watchedChoices(t, log, async () => (isSlow ? never : undefined), { tellsMore: true });
  isSlow = true;
  log.say("ses_root", begun("t1"), ended("t1"));
  await eventually("the end is told", () => seen.includes("end"));
});

test("an agent is looked at where it may offer something else, and its program is started only where it is new", async (t) => {
  for (const tellsMore of [true, false]) {
    const log = new LogClient().begin("ses_root");
    const looks: string[] = [];
    const facts = { models: [{ id: "small" }], modes: [{ id: "ask" }], tellsMore };
    await watchedChoices(t, log, async (kept) => void looks.push(kept ? "known" : "program"), facts);
    const after = async (...said: Parameters<LogClient["say"]>[1][]): Promise<string[]> => {
      looks.splice(0);
      log.say("ses_root", ...said);
      await told();
      return [...looks];
    };
    const updated = (data: object) => ({ type: "session.updated" as const, data });
    const words = { id: "prt_1", kind: "message", role: "assistant", status: "running", text: "", step: 1 };
    const begins = { type: "item.started" as const, turn: "t1", data: { item: words } };
    assert.deepEqual(await after(begun("t1"), begins), ["program"], "its first words");
    assert.deepEqual(await after(begins), []);
    assert.deepEqual(await after(ended("t1")), tellsMore ? ["known"] : []);
    assert.deepEqual(await after(updated({ title: "x" }), updated({ model: "small", mode: "ask" })), []);
    assert.deepEqual(await after(updated({ model: "large" })), ["known"]);
    assert.deepEqual(await after(updated({ mode: "plan" })), ["known"]);
    assert.deepEqual(await after(updated({ offers: [] })), ["known"]);
    assert.deepEqual(await after(updated({ agent: "other" })), ["program"]);
    assert.deepEqual(await after(updated({ nativeId: "n" }), begun("t2"), begins), ["program"], "it was started anew");
  }
});

test("nothing is told of a session that was let go", async (t) => {
  const log = new LogClient().begin("ses_root");
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  const { seen, session } = await watchedChoices(t, log, async () => {
    if (isSlow) await gate.promise;
  });
  isSlow = true;
  log.say("ses_root", { type: "session.updated", data: { agent: "other" } });
  await told();
  await session.leave();
  gate.resolve();
  await told();
  assert.deepEqual(seen, []);
});

test("an agent that could not be asked keeps the lists of before", () => {
  const capabilities = { fork: false, rewind: false, compact: false, sessions: false, mcp: [] };
  const facts = { name: "a", default: false, installed: true, capabilities };
  const before = { ...facts, credentials: "found" as const, models: [{ id: "m" }], modes: [{ id: "b" }] };
  const silent = { ...facts, credentials: "unknown" as const, models: [], modes: [] };
  assert.deepEqual(renewed(before, silent), { ...before, credentials: "unknown" });
  assert.deepEqual(renewed(before, { ...silent, name: "other" }), { ...silent, name: "other" });
  const more = { ...before, models: [{ id: "m" }, { id: "n" }], commands: [{ name: "c" }] };
  assert.deepEqual(renewed(before, more), more);
});
