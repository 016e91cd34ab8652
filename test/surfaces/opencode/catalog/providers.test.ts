import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpencodeClient } from "@opencode-ai/sdk";
import { createOpencodeClient as createSecond } from "@opencode-ai/sdk/v2";
import type { AgentModel } from "../../../../src/agents/contract.ts";
import type { ConfiguredAgent } from "../../../../src/server/agents.ts";
import { agent } from "../../../support/server.ts";
import { assertWithin } from "../../../support/time.ts";
import { Listener } from "../listener.ts";
import { opencodeRig } from "../rig.ts";

interface Providers {
  all: { id: string; name: string; models: Record<string, Record<string, unknown>> }[];
  default: Record<string, string>;
  connected: string[];
}

const echo: ConfiguredAgent = {
  ...agent("never-answers"),
  models: [
    {
      id: "big/one",
      name: "Big One",
      context: 200_000,
      output: 64_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      reasoning: true,
      images: false,
      released: "2026-08-27",
    },
    { id: "plain" },
  ],
  modes: [
    { id: "ask", description: "asks before it acts" },
    { id: "plan" },
    { id: "yolo", name: "Never asks" },
    { id: "secret", hidden: true },
  ],
};
const absent: ConfiguredAgent = { command: ["no-such-program-anywhere"] };
const AGENTS = { echo, absent };

/** Of the agents that ship with Parley, some are on one machine and not on another. */
const LOOKED_AT = ["echo", "house", "scripted", "absent"];
const ours = (ids: readonly string[]): string[] => ids.filter((id) => LOOKED_AT.includes(id));
const idsOf = (some: readonly { id: string }[]): string[] => ours(some.map(({ id }) => id));

test("B6: each agent is a provider, the server's own first, with all that OpenCode says of a model", async (t) => {
  const { client } = await opencodeRig(t, { agents: AGENTS, defaultAgent: "echo" });
  const { all, default: defaults, connected } = await client.get<Providers>("/provider");
  assert.equal(all[0]?.id, "echo");
  assert.deepEqual(idsOf(all), ["echo", "house", "scripted", "absent"]);
  assert.deepEqual(ours(connected), ["echo", "house", "scripted"]);
  assert.equal(all.find(({ id }) => id === "house")?.name, "House");
  assert.equal(defaults.echo, "big/one");
  assert.deepEqual(all[0]?.models["big/one"], {
    id: "big/one",
    providerID: "echo",
    api: { id: "big/one", url: "", npm: "parley" },
    name: "Big One",
    capabilities: {
      temperature: false,
      reasoning: true,
      attachment: false,
      toolcall: true,
      input: { text: true, audio: false, image: false, video: false, pdf: false },
      output: { text: true, audio: false, image: false, video: false, pdf: false },
      interleaved: false,
    },
    cost: { input: 3, output: 15, cache: { read: 0.3, write: 3.75 } },
    limit: { context: 200_000, output: 64_000 },
    status: "active",
    options: {},
    headers: {},
    release_date: "2026-08-27",
    variants: {},
  });
});

test("B6: all that an agent tells of a model is shown, in both halves of the API", async (t) => {
  const models: AgentModel[] = [
    {
      id: "fast/one",
      name: "One",
      provider: "Fast",
      family: "ones",
      context: 1_000_000,
      input: 900_000,
      output: 64_000,
      price: { input: 2, output: 12, tiers: [{ input: 4, output: 18, cacheRead: 0.4, above: 200_000 }] },
      reasoning: true,
      modalities: { input: ["text", "image", "pdf"], output: ["text", "audio"] },
      tools: false,
      temperature: true,
      attachments: true,
      interleaved: "reasoning_content",
      status: "beta",
    },
    { id: "slow/one", name: "One", provider: "Slow" },
  ];
  const { client } = await opencodeRig(t, { agents: { echo: { ...echo, models } }, defaultAgent: "echo" });
  const { all } = await client.get<Providers>("/provider");
  const long = { input: 4, output: 18, cache: { read: 0.4, write: 0 } };
  const tier = { ...long, tier: { type: "context", size: 200_000 } };
  const price = { input: 2, output: 12, cache: { read: 0, write: 0 } };
  const { family, capabilities, cost, limit, status, name } = all[0]?.models["fast/one"] ?? {};
  assert.deepEqual([family, status, name], ["ones", "beta", "One (Fast)"]);
  assert.equal(all[0]?.models["slow/one"]?.name, "One (Slow)");
  assert.deepEqual(limit, { context: 1_000_000, input: 900_000, output: 64_000 });
  assert.deepEqual(cost, { ...price, tiers: [tier], experimentalOver200K: long });
  assert.deepEqual(capabilities, {
    temperature: true,
    reasoning: true,
    attachment: true,
    toolcall: false,
    input: { text: true, audio: false, image: true, video: false, pdf: true },
    output: { text: true, audio: true, image: false, video: false, pdf: false },
    interleaved: { field: "reasoning_content" },
  });
  const { data } = await client.get<{ data: Record<string, unknown>[] }>("/api/model");
  const newer = data.find(({ id }) => id === "fast/one");
  assert.deepEqual([newer?.family, newer?.cost, newer?.limit], ["ones", [price, tier], limit]);
  const kinds = { input: ["text", "image", "pdf"], output: ["text", "audio"] };
  assert.deepEqual(newer?.capabilities, { tools: false, ...kinds });
});

test("B6: unknown facts of a model are 0 or empty, and an agent that tells of no model has one", async (t) => {
  const { client } = await opencodeRig(t, { agents: AGENTS });
  const { all, default: defaults } = await client.get<Providers>("/provider");
  const models = new Map(all.map(({ id, models: its }) => [id, its]));
  const { cost, limit, release_date, name } = models.get("echo")?.plain ?? {};
  assert.deepEqual(
    [cost, limit],
    [
      { input: 0, output: 0, cache: { read: 0, write: 0 } },
      { context: 0, output: 0 },
    ],
  );
  assert.deepEqual([release_date, name], ["", "plain"]);
  assert.deepEqual(Object.keys(models.get("absent") ?? {}), ["default"]);
  assert.equal(defaults.absent, "default");
});

test("B6: /config/providers, /api/provider and /api/model offer only usable agents", async (t) => {
  const { client } = await opencodeRig(t, { agents: AGENTS, defaultAgent: "absent" });
  const { providers } = await client.get<{ providers: { id: string }[] }>("/config/providers");
  assert.deepEqual(idsOf(providers), ["house", "scripted", "echo"]);
  const config = await client.get<{ model: string }>("/config");
  assert.match(config.model, /^house\//, "the default agent is not there, so that the first that is stands in for it");
  const second = await client.get<{ data: { id: string }[] }>("/api/provider");
  assert.deepEqual(idsOf(second.data), ["house", "scripted", "echo"]);
  const { data } = await client.get<{ data: { id: string; providerID: string; time: { released: number } }[] }>(
    "/api/model",
  );
  const big = data.find(({ id }) => id === "big/one");
  assert.deepEqual([big?.providerID, big?.time.released], ["echo", Date.parse("2026-08-27")]);
  assert.ok(!data.some(({ providerID }) => providerID === "absent"));
  const integrations = await client.get<{ data: { id: string; connections: unknown[] }[] }>("/api/integration");
  const listed = integrations.data.filter(({ id }) => LOOKED_AT.includes(id));
  assert.deepEqual(
    listed.map(({ id, connections }) => [id, connections.length]),
    [
      ["absent", 0],
      ["house", 1],
      ["scripted", 1],
      ["echo", 1],
    ],
  );
});

test("B6, B8: build and plan, then the agents' own modes, hidden ones hidden; build is the mode an agent begins with", async (t) => {
  const { client } = await opencodeRig(t, {
    agents: { ...AGENTS, twin: { ...agent("never-answers"), modes: [{ id: "x" }, { id: "yolo" }] } },
  });
  type Mode = { name: string; mode: string; native: boolean; hidden?: boolean; description: string; model?: object };
  const listed = async (): Promise<[all: Mode[], looked: Mode[]]> => {
    const all = await client.get<Mode[]>("/agent");
    return [all, all.filter(({ name }) => ["build", "plan", "ask", "x", "yolo", "secret"].includes(name))];
  };
  const [, before] = await listed();
  assert.deepEqual(
    before.filter(({ hidden }) => !hidden).map(({ name }) => name),
    ["build", "plan"],
    "modes of agents that do not work in the directory are not offered",
  );
  await client.expect(200, "POST", "/api/session", { body: { model: { providerID: "echo", id: "plain" } } });
  const [all, modes] = await listed();
  assert.deepEqual(
    modes.map(({ name, native, hidden = false, mode }) => [name, native, hidden, mode]),
    [
      ["build", true, false, "primary"],
      ["plan", true, false, "primary"],
      ["yolo", false, false, "primary"],
      ["secret", false, true, "primary"],
    ],
  );
  assert.equal(modes[2]?.model, undefined, "two agents have it: it brings neither with it");
  assert.deepEqual(modes[3]?.model, { providerID: "echo", modelID: "big/one" });
  assert.match(modes[2]?.description ?? "", /echo, twin: Never asks/);
  const { data } = await client.get<{ data: { id: string; hidden: boolean }[] }>("/api/agent");
  assert.deepEqual(
    data.map(({ id, hidden }) => [id, hidden]),
    all.map(({ name, hidden = false }) => [name, hidden]),
  );
});

test("B6: the default model and mode can be changed for as long as the server runs, and nothing else", async (t) => {
  const { client } = await opencodeRig(t, { agents: AGENTS });
  await client.expect(200, "PATCH", "/config", { body: { model: "echo/plain", default_agent: "yolo" } });
  for (const path of ["/config", "/global/config"]) {
    const { model, default_agent } = await client.get<Record<string, string>>(path);
    assert.deepEqual([model, default_agent], ["echo/plain", "yolo"]);
  }
  const { data } = await client.expect<{ data: { model: object; agent: string } }>(200, "POST", "/api/session", {
    body: {},
  });
  assert.deepEqual([data.model, data.agent], [{ id: "plain", providerID: "echo" }, "yolo"]);
  for (const body of [
    { model: "echo/nothing" },
    { model: "nobody/x" },
    { model: "echo" },
    { default_agent: "nothing" },
  ]) {
    const { status, text } = await client.call("PATCH", "/global/config", { body });
    assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`);
  }
  const { data: said } = await client.expect<{ data: { message: string } }>(501, "PATCH", "/config", {
    body: { model: "echo/big/one", share: "auto", autoupdate: false },
  });
  assert.match(said.message, /not share:/);
  assert.equal(
    (await client.get<{ model: string }>("/config")).model,
    "echo/plain",
    "a refused change changes nothing",
  );
});

test("B6, B8: a session is begun with the provider, model and mode that are asked for", async (t) => {
  const { client, server } = await opencodeRig(t, { agents: AGENTS });
  type Made = { data: { id: string; agent: string; model: object } };
  const begin = async (body: object): Promise<unknown[]> => {
    const { data } = await client.expect<Made>(200, "POST", "/api/session", { body });
    const { agent: name, model, mode } = await server.api.session(data.id);
    return [name, model, mode, data.agent];
  };
  const echoed = { providerID: "echo", id: "plain" };
  assert.deepEqual(await begin({}), ["house", undefined, undefined, "build"]);
  assert.deepEqual(await begin({ model: echoed, agent: "build" }), ["echo", "plain", undefined, "build"]);
  assert.deepEqual(await begin({ model: echoed, agent: "plan" }), ["echo", "plain", "plan", "plan"]);
  assert.deepEqual(await begin({ model: { providerID: "scripted", id: "default" } }), [
    "scripted",
    undefined,
    undefined,
    "build",
  ]);
  for (const body of [{ agent: "yolo" }, { model: { ...echoed, id: "x" } }, { model: echoed, agent: "x" }])
    await client.expect(400, "POST", "/api/session", { body });
});

test("B8: a mode of another agent that comes with a model becomes the agent's own default, with a remark; plan never does", async (t) => {
  const plain = { ...agent("never-answers"), models: [{ id: "m" }], modes: [{ id: "careful" }] };
  const { client, server } = await opencodeRig(t, { agents: { ...AGENTS, plain } });
  const stream = new Listener(`${server.parley.url}/event`);
  t.after(() => stream.leave());
  await stream.connect();
  await client.get("/agent");
  const model = { providerID: "plain", id: "m" };
  await client.expect(200, "POST", "/session", { body: { agent: "build", model } });
  const { id } = await client.expect<{ id: string }>(200, "POST", "/session", { body: { agent: "yolo", model } });
  assert.deepEqual((await server.api.session(id)).mode, undefined);
  const toast = await stream.until(({ type }) => type === "tui.toast.show", "tui.toast.show");
  // The first toast: build is every agent's own default and needs no remark.
  assert.match(JSON.stringify(toast), /yolo is a mode of echo: plain works in its own default mode/);
  for (const mode of ["plan", "nobody-has-it"])
    await client.expect(400, "POST", "/session", { body: { agent: mode, model } });
});

test("B6: credentials are the agents' own, and the refusal says how to log in", async (t) => {
  const { client } = await opencodeRig(t, { agents: AGENTS });
  type Said = { name: string; data: { message: string } };
  const put = await client.expect<Said>(501, "PUT", "/auth/house", { body: { type: "api", key: "secret-key" } });
  assert.equal(put.name, "NotSupportedError");
  assert.match(put.data.message, /House: set ANTHROPIC_API_KEY or OPENAI_API_KEY/);
  assert.ok(!put.data.message.includes("secret-key"));
  const removed = await client.expect<Said>(501, "DELETE", "/auth/echo");
  assert.match(removed.data.message, /its own program/);
  assert.equal((await client.expect<Said>(404, "DELETE", "/auth/nobody")).name, "NotFoundError");
});

test("B6: thousands of models are answered whole, and within 50 ms, once they are known", async (t) => {
  const models = Array.from({ length: 5_000 }, (_, at) => ({ id: `model-${at}`, name: `Model ${at}`, context: at }));
  const { client } = await opencodeRig(t, { agents: { many: { ...agent("never-answers"), models } } });
  const paths = ["/provider", "/config/providers", "/api/model"];
  for (const path of paths) await client.get(path);
  for (const path of paths) {
    const times: number[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const begun = performance.now();
      const response = await fetch(`${client.url}${path}`);
      times.push(performance.now() - begun);
      const { length } = await response.text();
      assert.ok(length > 1_000_000, `${path} is short: ${length}`);
    }
    // The machine may be busy with something else, but not each time.
    assertWithin(Math.min(...times), 50, `the beginning of ${path}`);
  }
});

test("B6, B12: both of OpenCode's SDKs read providers, agents and configuration", async (t) => {
  const { client, server } = await opencodeRig(t, { agents: AGENTS });
  const { directory } = server;
  const first = createOpencodeClient({ baseUrl: client.url, directory });
  const { data: listed } = await first.config.providers();
  assert.ok(listed?.default.house);
  const { data: agents } = await first.app.agents();
  assert.deepEqual(
    agents?.slice(0, 2).map(({ name }) => name),
    ["build", "plan"],
  );
  const second = createSecond({ baseUrl: client.url, directory });
  const { data: providers } = await second.provider.list();
  assert.ok(providers?.connected.includes("house"));
  const { data: location } = await second.v2.location.get({ location: { directory } });
  assert.deepEqual(location?.directory, directory);
  const { error } = await second.auth.set({ providerID: "house", auth: { type: "api", key: "x" } });
  assert.match(JSON.stringify(error), /ANTHROPIC_API_KEY/);
});
