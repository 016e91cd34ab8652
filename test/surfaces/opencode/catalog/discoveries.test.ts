import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discovery } from "../../../../src/agents/contract.ts";
import { Discoveries, type DiscoveriesOptions } from "../../../../src/surfaces/opencode/catalog/discoveries.ts";
import { mayTellMore } from "../../../../src/surfaces/opencode/catalog/providers.ts";

const found = (detail: string): Discovery => ({
  installed: true,
  credentials: "found",
  detail,
  models: [],
  modes: [],
});

interface Asked {
  name: string;
  answer(discovery: Discovery): void;
  fail(error: Error): void;
}

function rig(names: string[], options: Partial<DiscoveriesOptions> = {}) {
  const asked: Asked[] = [];
  const clock = { now: 1_000 };
  let changes = 0;
  let outdated = 0;
  const discoveries = new Discoveries({
    agents: () => names,
    discover: (name) =>
      new Promise((answer, fail) => {
        asked.push({ name, answer, fail });
      }),
    now: () => clock.now,
    changed: () => {
      changes += 1;
    },
    outdated: () => {
      outdated += 1;
    },
    freshMs: 100,
    ...options,
  });
  const details = async (): Promise<(string | undefined)[]> =>
    (await discoveries.all()).map(({ discovery }) => discovery.detail);
  return { asked, clock, discoveries, details, changes: () => changes, outdated: () => outdated };
}

/** Lets every promise that can settle do so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the first callers wait for all agents, and each agent is asked once for them", async () => {
  const { asked, details, changes } = rig(["a", "b"]);
  const both = Promise.all([details(), details()]);
  assert.deepEqual(
    asked.map(({ name }) => name),
    ["a", "b"],
  );
  asked[1]?.answer(found("b is there"));
  asked[0]?.answer(found("a is there"));
  assert.deepEqual(await both, [
    ["a is there", "b is there"],
    ["a is there", "b is there"],
  ]);
  assert.equal(changes(), 2);
});

test("an agent that does not answer holds nobody up for longer than the limit, and nobody at all after that", async () => {
  const { asked, details, discoveries } = rig(["quick", "slow"], { firstMs: 30 });
  const first = details();
  asked[0]?.answer(found("quick"));
  assert.deepEqual(await first, ["quick", "it has not answered yet"]);
  const before = discoveries.revision;
  const again = details();
  await settled();
  assert.deepEqual(await again, ["quick", "it has not answered yet"]);
  asked[1]?.answer(found("slow"));
  await settled();
  assert.deepEqual(await details(), ["quick", "slow"]);
  assert.equal(asked.length, 2, "it was not asked a second time meanwhile");
  assert.equal(discoveries.revision, before + 1);
});

test("an old answer is given at once, and renewed in the background", async () => {
  const { asked, clock, details, discoveries, changes } = rig(["a"]);
  const first = details();
  asked[0]?.answer(found("old"));
  await first;
  clock.now += 99;
  await details();
  assert.equal(asked.length, 1, "it is fresh");
  clock.now += 1;
  assert.deepEqual(await details(), ["old"]);
  assert.equal(asked.length, 2);
  asked[1]?.answer(found("old"));
  await settled();
  assert.equal(changes(), 1, "nothing has changed");
  clock.now += 100;
  await details();
  asked[2]?.answer(found("new"));
  await settled();
  assert.deepEqual(await details(), ["new"]);
  assert.equal(discoveries.revision, 2);
});

test("a login is seen at once after a refresh", async () => {
  const { asked, details, discoveries } = rig(["a"]);
  const first = details();
  asked[0]?.answer(found("old"));
  await first;
  discoveries.refresh();
  asked[1]?.answer(found("new"));
  await settled();
  assert.deepEqual(await details(), ["new"]);
});

test("an agent that fails to say what it has is not installed, and says why", async () => {
  const { asked, discoveries } = rig(["a"]);
  const all = discoveries.all();
  asked[0]?.fail(new Error("its program is broken"));
  const [{ discovery } = { discovery: found("") }] = await all;
  assert.deepEqual([discovery.installed, discovery.detail], [false, "its program is broken"]);
});

test("only an answer that differs from what somebody was told makes it outdated", async () => {
  const { asked, clock, details, discoveries, outdated } = rig(["quick", "slow"], { listMs: 5 });
  const first = details();
  asked[0]?.answer(found("quick"));
  await first;
  assert.equal(outdated(), 0, "nobody was told anything else of the quick one");
  asked[1]?.answer(found("slow"));
  await settled();
  assert.equal(outdated(), 1, "the list had said that the slow one has not answered");
  clock.now += 100;
  await details();
  asked[2]?.answer(found("quick"));
  asked[3]?.answer(found("logged in"));
  await settled();
  assert.equal(outdated(), 2);
  discoveries.refresh();
  asked[4]?.answer(found("quick"));
  asked[5]?.answer(found("logged out"));
  await settled();
  assert.equal(outdated(), 2, "nobody has asked since");
});

test("a caller that chose an agent waits for that one alone", async () => {
  const { asked, discoveries } = rig(["chosen", "never"]);
  const one = discoveries.one("chosen");
  asked[0]?.answer(found("chosen"));
  assert.equal((await one).detail, "chosen");
  assert.deepEqual(
    asked.map(({ name }) => name),
    ["chosen", "never"],
    "the others are asked meanwhile",
  );
});

test("agents that cannot be used are asked again when their answers are old, the others are left alone", async () => {
  const { asked, clock, details, discoveries } = rig(["here", "missing"]);
  const first = details();
  asked[0]?.answer(found("here"));
  asked[1]?.answer({ ...found("missing"), installed: false });
  await first;
  const unusable = ({ installed }: Discovery): boolean => !installed;
  discoveries.renew(unusable);
  assert.equal(asked.length, 2, "the answers are fresh");
  clock.now += 100;
  discoveries.renew(unusable);
  assert.deepEqual(
    asked.slice(2).map(({ name }) => name),
    ["missing"],
  );
});

const CASES: [string, Partial<Discovery>, boolean][] = [
  ["one that can be used and told its models", { models: [{ id: "one" }], otherModels: true }, false],
  ["one that has no models to tell", {}, false],
  ["one that was too slow to tell its models", { otherModels: true }, true],
  ["one that is not installed", { installed: false, models: [{ id: "one" }] }, true],
  ["one that is logged out", { credentials: "missing", models: [{ id: "one" }] }, true],
];

test("agents that may tell more are asked again while a client listens", () => {
  for (const [what, more, again] of CASES) assert.equal(mayTellMore({ ...found("x"), ...more }), again, what);
});
