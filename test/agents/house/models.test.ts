import assert from "node:assert/strict";
import { test } from "node:test";
import { createHouseAgent } from "../../../src/agents/house/agent.ts";
import { baseUrl, findModels } from "../../../src/agents/house/model/models.ts";
import { usageOf } from "../../../src/agents/house/model/usage.ts";
import { houseRig } from "./support.ts";

const HOST = {
  run: () => {
    throw new Error("not used");
  },
};

test("without a key there is the scripted model, and it is the one to use", async () => {
  const models = findModels({});
  assert.deepEqual(
    models.list.map(({ id }) => id),
    ["scripted/demo"],
  );
  const found = await createHouseAgent({ host: HOST, models }).discover();
  assert.equal(found.credentials, "not_needed");
  assert.match(found.detail ?? "", /ANTHROPIC_API_KEY/);
});

const defaults: [env: Record<string, string>, provider: string][] = [
  [{ ANTHROPIC_API_KEY: "k" }, "anthropic"],
  [{ OPENAI_API_KEY: "k" }, "openai"],
  [{ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "anthropic"],
  [{ ANTHROPIC_API_KEY: "" }, "scripted"],
];

for (const [env, provider] of defaults) {
  test(`with ${JSON.stringify(env)} a model of ${provider} is used`, async () => {
    const models = findModels(env);
    assert.equal(models.find(undefined).provider, provider);
    const { credentials, detail } = await createHouseAgent({ host: HOST, models }).discover();
    assert.equal(credentials, provider === "scripted" ? "not_needed" : "found");
    assert.ok(!detail?.includes('"k"'));
  });
}

test("a key that cannot be sent is refused before anything can repeat it", async () => {
  const loaded = (key: string): Promise<unknown> => {
    const models = findModels({ ANTHROPIC_API_KEY: key });
    return models.load(models.find(undefined));
  };
  for (const key of ["one\ntwo", "one\rtwo", "one\u0000two", "one\u001btwo"]) {
    await assert.rejects(
      loaded(key),
      (error: Error) => /key of anthropic holds/.test(error.message) && !/one|two/.test(error.message),
    );
  }
  await loaded("one\n");
});

test("an endpoint's models are there when its key is", () => {
  const config = { endpoints: { local: { url: "http://127.0.0.1:1", keyVariable: "LOCAL", models: [{ id: "m/x" }] } } };
  assert.equal(findModels({}, config).list.length, 1);
  const { access, model } = findModels({ LOCAL: "key" }, config).find("local/m/x");
  assert.deepEqual(
    [access, model],
    [{ format: "chat", name: "local", url: "http://127.0.0.1:1/v1", key: "key" }, "m/x"],
  );
});

test("the configuration chooses the model, adds some and knows more of others", () => {
  const models = [
    { id: "openai/next", context: 5 },
    { id: "openai/gpt-5", price: { input: 1, output: 2 } },
    { id: "anthropic/x" },
  ];
  const found = findModels({ OPENAI_API_KEY: "k" }, { model: "openai/next", models });
  assert.deepEqual([found.find(undefined).model, found.find(undefined).context], ["next", 5]);
  assert.deepEqual(found.find("openai/gpt-5").price, { input: 1, output: 2 });
  assert.equal(found.find("openai/gpt-5").context, 400_000);
  assert.throws(() => found.find("anthropic/x"), /no model anthropic\/x; there are: openai\//);
});

const advised: [id: string, env: Record<string, string>, says: RegExp][] = [
  ["anthropic/claude-sonnet-4-5", {}, /; set ANTHROPIC_API_KEY and start Parley again$/],
  ["anthropic/claude-sonnet-4-5", { OPENAI_API_KEY: "k" }, /; set ANTHROPIC_API_KEY and/],
  ["openai/gpt-99", { OPENAI_API_KEY: "k" }, /add its id to house\.models/],
  ["local/m", {}, /; set LOCAL and/],
  ["local/other", { LOCAL: "k" }, /add its id to house\.endpoints\.local\.models/],
  ["claude-sonnet-4-5", {}, /name it as provider\/model/],
];

for (const [id, env, says] of advised) {
  test(`without ${id}, and with ${JSON.stringify(env)}, it is said what to do`, async (t) => {
    const endpoints = { local: { url: "http://127.0.0.1:1", keyVariable: "LOCAL", models: [{ id: "m" }] } };
    const models = findModels(env, { endpoints });
    assert.throws(() => models.find(id), says);
    const { gateway, work } = await houseRig(t, { models });
    await assert.rejects(gateway.create({ directory: work, model: id }), says);
  });
}

test("an address that is none is told with where it came from", () => {
  const wrong = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:8080" };
  assert.throws(
    () => findModels(wrong),
    /^Error: OPENAI_BASE_URL: expected an address such as .*, got "localhost:8080"/,
  );
  assert.throws(() => baseUrl("not at all"), /expected an address/);
});

test("a configured model that is not there is a finding, not a crash", async () => {
  const models = findModels({}, { model: "openai/gpt-5" });
  const { credentials, detail } = await createHouseAgent({ host: HOST, models }).discover();
  assert.equal(credentials, "missing");
  assert.match(detail ?? "", /no model openai\/gpt-5/);
});

const urls: [given: string | undefined, used: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010/v1"],
  ["http://127.0.0.1:4010/", "http://127.0.0.1:4010/v1"],
  ["https://example.test/v1/", "https://example.test/v1"],
  ["https://example.test/api/v3", "https://example.test/api/v3"],
];

for (const [given, used] of urls) test(`${given} is used as ${used}`, () => assert.equal(baseUrl(given), used));

test("a price that nobody has looked up is not made up", () => {
  const { list } = findModels({ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" });
  const priced = list.filter(({ price }) => price !== undefined).map(({ id, price }) => [id, price]);
  assert.deepEqual(Object.fromEntries(priced), {
    "anthropic/claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    "anthropic/claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    "anthropic/claude-opus-4-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  });
});

test("the cost counts what was cached apart", () => {
  const used = {
    inputTokens: 1_110_000,
    inputTokenDetails: { noCacheTokens: 10_000, cacheReadTokens: 1_000_000, cacheWriteTokens: 100_000 },
    outputTokens: 20_000,
    outputTokenDetails: { textTokens: 15_000, reasoningTokens: 5_000 },
    totalTokens: 1_130_000,
  };
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const { cost, context, tokens } = usageOf(used, { price, context: 2_000_000 });
  assert.equal(cost?.toFixed(4), "1.0050");
  assert.deepEqual(context, { used: 1_130_000, size: 2_000_000 });
  assert.equal(tokens?.reasoning, 5_000);
  assert.equal(usageOf(used, {}).cost, undefined);
});
