import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ROOT } from "../cluster/chaos/node.ts";
import { SCENARIOS } from "../cluster/mutants/mutants.ts";
import { needsPostgres } from "../support/postgres.ts";

describe("nothing is wrong when", needsPostgres, () => {
  for (const [what, scenario] of Object.entries(SCENARIOS))
    test(what, async () => assert.deepEqual(await scenario(ROOT), []));
});
