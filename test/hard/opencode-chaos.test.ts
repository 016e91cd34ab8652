import { describe, test } from "node:test";
import { chaosPlace } from "../agents/opencode/chaos-place.ts";
import { chaosRun } from "../agents/opencode/chaos-run.ts";
import { seedOf } from "../support/random.ts";
import { realAgent } from "../support/real-agent.ts";

const { program = "", skip } = await realAgent("opencode");

const RUNS = 200;

describe("a very bad connection to the real OpenCode", { skip, concurrency: 4 }, () => {
  const place = chaosPlace(program);
  const seed = seedOf();
  for (let run = 0; run < RUNS; run++)
    test(`run ${run}`, async (t) => {
      t.diagnostic(await chaosRun(place(), seed + run));
    });
});
