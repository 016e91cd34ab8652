import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgentModel } from "../../../../src/agents/contract.ts";
import { credentialsOf, defaultModelOf, modelOf, modelsOf } from "../../../../src/agents/opencode/discovery/models.ts";
import { commandsOf, modesOf, subagentsOf } from "../../../../src/agents/opencode/discovery/modes.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";

const MODALITIES = { text: true, audio: false, image: false, video: false, pdf: false };
const CAPABILITIES = {
  temperature: false,
  reasoning: false,
  attachment: false,
  toolcall: true,
  input: MODALITIES,
  output: MODALITIES,
  interleaved: false,
};
const NOTHING = { input: 0, output: 0, cache: { read: 0, write: 0 } };
/** A model of the user's configuration that has nothing but a name. */
const BARE = {
  id: "bare",
  providerID: "fake",
  name: "Bare",
  family: "",
  capabilities: CAPABILITIES,
  cost: NOTHING,
  limit: { context: 0, output: 0 },
  status: "active",
  options: { apiKey: "secret" },
  release_date: "",
  variants: {},
};
const KNOWN = {
  ...BARE,
  id: "known",
  family: "known-family",
  cost: { input: 0, output: 0, cache: { read: 0, write: 0 } },
  limit: { context: 200_000, input: 150_000, output: 8_000 },
  release_date: "2026-08-27",
};
const PROVIDER = { id: "fake", name: "Fake", source: "config", options: { apiKey: "secret" }, key: "secret" };

/** The model that comes of a description, with the facts that a bare one has too left out. */
function read(model: Fields, configured: Fields = {}): Partial<AgentModel> {
  const [found] = modelOf(PROVIDER, model, configured);
  assert.ok(found);
  return found;
}

describe("a model of OpenCode", () => {
  test("has only the facts that are known: an unknown price, limit, family or day is absent", () => {
    assert.deepEqual(read(BARE), {
      id: "fake/bare",
      name: "Bare",
      provider: "Fake",
      reasoning: false,
      images: false,
      modalities: { input: ["text"], output: ["text"] },
      tools: true,
      temperature: false,
      attachments: false,
      interleaved: false,
      status: "active",
    });
  });

  const prices: [what: string, model: Fields, configured: Fields, price: unknown][] = [
    ["free by the catalogue", KNOWN, {}, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }],
    [
      "free by the configuration",
      BARE,
      { cost: { input: 0, output: 0 } },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ],
    ["named in the configuration without a price", BARE, { name: "Bare" }, undefined],
    ["with a price", { ...BARE, cost: { input: 1, output: 2 } }, {}, { input: 1, output: 2 }],
    ["without numbers", { ...KNOWN, cost: { input: "1" } }, {}, undefined],
    ["without any", { ...KNOWN, cost: undefined }, {}, undefined],
    [
      "with one more for long prompts, said twice",
      {
        ...KNOWN,
        cost: {
          ...NOTHING,
          input: 2,
          tiers: [{ input: 4, output: 18, cache: { read: 1, write: 0 }, tier: { type: "context", size: 200_000 } }],
          experimentalOver200K: { input: 4, output: 18, cache: { read: 1, write: 0 } },
        },
      },
      {},
      {
        input: 2,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        tiers: [{ input: 4, output: 18, cacheRead: 1, cacheWrite: 0, above: 200_000 }],
      },
    ],
    [
      "with one more for long prompts, said in the older way",
      { ...KNOWN, cost: { input: 2, output: 3, experimentalOver200K: { input: 4, output: 18 } } },
      {},
      { input: 2, output: 3, tiers: [{ input: 4, output: 18, above: 200_000 }] },
    ],
  ];
  for (const [what, model, configured, price] of prices)
    test(`${what}: its price`, () => assert.deepEqual(read(model, configured).price, price));

  test("has limits, a family, a day, modalities and what it can do", () => {
    const input = { ...MODALITIES, image: true, pdf: true };
    const capabilities = { ...CAPABILITIES, input, reasoning: true, interleaved: { field: "reasoning_content" } };
    const { context, input: prompt, output, ...found } = read({ ...KNOWN, capabilities, status: "beta" });
    assert.deepEqual([context, prompt, output], [200_000, 150_000, 8_000]);
    assert.deepEqual([found.family, found.released, found.status], ["known-family", "2026-08-27", "beta"]);
    assert.deepEqual([found.images, found.reasoning, found.interleaved], [true, true, "reasoning_content"]);
    assert.deepEqual(found.modalities?.input, ["text", "image", "pdf"]);
  });

  test("has its variants as efforts, without those that are turned off", () => {
    const variants = { low: {}, turbo: { x: 1 }, high: { disabled: true } };
    const [option] = read({ ...BARE, variants }).options ?? [];
    assert.deepEqual([option?.id, option?.values?.map(({ id }) => id)], ["effort", ["low", "turbo", "default"]]);
  });

  test("of a shape that nobody knows costs nothing else", () => {
    assert.deepEqual(
      modelsOf({ providers: { providers: [{ id: "x", models: { a: 1, b: { id: 2 } } }, 3] }, config: {} }),
      [],
    );
    assert.deepEqual(read({ id: "odd", status: "new", capabilities: 1 }), { id: "fake/odd", provider: "Fake" });
  });

  test("brings nothing of its provider's secrets", () => {
    const providers = { providers: [{ ...PROVIDER, models: { bare: BARE, known: KNOWN } }] };
    const models = modelsOf({ providers, config: { provider: { fake: PROVIDER } } });
    assert.deepEqual(
      models.map(({ id }) => id),
      ["fake/bare", "fake/known"],
    );
    assert.doesNotMatch(JSON.stringify(models), /secret/);
  });
});

describe("the model that OpenCode takes by itself", () => {
  const providers = {
    providers: [
      { id: "a", models: { one: { id: "one" }, two: { id: "two" } } },
      { id: "b", models: { three: { id: "three" } } },
    ],
    default: { a: "two", b: "three" },
  };
  const cases: [what: string, config: Fields, recent: string[], expected: string][] = [
    ["that of the configuration, even one that nobody knows", { model: "x/y" }, ["a/one"], "x/y"],
    ["the one that was used last", {}, ["gone/gone", "a/one"], "a/one"],
    ["the best of the first provider", {}, [], "a/two"],
    ["the best of the first provider that the configuration names", { provider: { b: {} } }, [], "b/three"],
  ];
  for (const [what, config, recent, expected] of cases) {
    test(what, () => {
      const told = { providers, config };
      assert.deepEqual(defaultModelOf(told, modelsOf(told), recent), { defaultModel: expected });
    });
  }
  test("none where there is none", () => assert.deepEqual(defaultModelOf({ providers: {}, config: {} }, [], []), {}));
});

test("credentials are found with a provider besides the free one, and needed for all but that", () => {
  const free = { id: "opencode", source: "custom" };
  const of = (...providers: Fields[]) => credentialsOf({ providers: { providers }, config: {} });
  assert.deepEqual([of(free), of(), of(free, PROVIDER)], ["not_needed", "missing", "found"]);
  assert.equal(of({ id: "opencode", source: "api" }), "found");
});

test("agents that a person can choose are modes, in the program's order, and those of the program are hidden", () => {
  const agents = [
    { name: "mine", mode: "primary", description: "d", hidden: null },
    { name: "both", mode: "all" },
    { name: "build", mode: "primary" },
    { name: "title", mode: "primary", hidden: true },
    { name: "explore", mode: "subagent" },
    {},
  ];
  assert.deepEqual(modesOf(agents), [
    { id: "mine", description: "d" },
    { id: "both" },
    { id: "build" },
    { id: "title", hidden: true },
  ]);
  assert.deepEqual(subagentsOf([...agents, { name: "own", mode: "subagent", hidden: true }]), [{ name: "explore" }]);
});

test("commands of any source have a hint of their arguments", () => {
  const commands = [
    { name: "hello", description: "says hello", source: "command", hints: ["$1", "$ARGUMENTS"] },
    { name: "db:query", source: "mcp", hints: [] },
    { name: "skilled", source: "skill", description: null, hints: null },
    { description: "nameless" },
  ];
  assert.deepEqual(commandsOf(commands), [
    { name: "hello", description: "says hello", hint: "$1 $ARGUMENTS" },
    { name: "db:query" },
    { name: "skilled", skill: true },
  ]);
});
