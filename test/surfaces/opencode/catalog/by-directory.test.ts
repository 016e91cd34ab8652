import assert from "node:assert/strict";
import { test } from "node:test";
import type { Discovery } from "../../../../src/agents/contract.ts";
import { ByDirectory } from "../../../../src/surfaces/opencode/catalog/by-directory.ts";

const facts = (detail: string): Discovery => ({
  installed: true,
  credentials: "missing",
  models: [],
  modes: [],
  detail,
});

/** An agent whose answers about a directory come when they are given. */
function rig() {
  const asked: PromiseWithResolvers<Discovery>[] = [];
  let outdated = 0;
  const discover = (): Promise<Discovery> => {
    const answer = Promise.withResolvers<Discovery>();
    asked.push(answer);
    return answer.promise;
  };
  const gateway = { discover, discoversProjects: () => true };
  const lists = new ByDirectory({
    gateway,
    outdated: () => {
      outdated += 1;
    },
  });
  const general = { name: "slow", discovery: facts("general") };
  const read = async () => (await lists.there(general, "/work", 1)).discovery.detail;
  const answer = async (detail: string): Promise<void> => {
    for (const { resolve } of asked.splice(0)) resolve(facts(detail));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { read, answer, outdated: () => outdated };
}

test("clients read their lists anew once, where what came late differs from what they were told", async () => {
  const { read, answer, outdated } = rig();
  assert.deepEqual(await Promise.all([read(), read(), read()]), ["general", "general", "general"]);
  await answer("there");
  assert.equal(outdated(), 1);
  assert.equal(await read(), "there", "as it said last, while it is asked anew");
  await answer("there");
  assert.equal(outdated(), 1, "it said the same");
  await read();
  await answer("otherwise");
  assert.equal(outdated(), 2);
});

test("a late answer that is the general one is nothing new", async () => {
  const { read, answer, outdated } = rig();
  await read();
  await answer("general");
  assert.equal(outdated(), 0);
});
