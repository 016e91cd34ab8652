import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MISBEHAVIOURS } from "./misbehaving.ts";
import { lineProtocolRig } from "./rigs.ts";
import { CHECKS, type Check } from "./suite.ts";

describe("the suite notices an agent that", { concurrency: 4 }, () => {
  for (const { does, check, noticed, spoil } of MISBEHAVIOURS) {
    test(does, async (t) => {
      const rig = spoil(await lineProtocolRig(t));
      await assert.rejects(async () => CHECKS[check](rig), noticed);
    });
  }
});

test("every check has a misbehaviour that it must notice", () => {
  const held = new Set(MISBEHAVIOURS.map(({ check }) => check));
  const free = (Object.keys(CHECKS) as Check[]).filter((check) => !held.has(check));
  assert.deepEqual(free, ["a kill before ready ends the start"]);
});
