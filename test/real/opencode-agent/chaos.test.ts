import { describe, test } from "node:test";
import { chaosPlace } from "../../agents/opencode/chaos-place.ts";
import { chaosRun } from "../../agents/opencode/chaos-run.ts";
import { seedOf } from "../../support/random.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, HARD } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const RUNS = HARD ? 20 : 3;

describe("a bad connection to the real OpenCode", { skip, timeout: GROUP_MS, concurrency: 4 }, () => {
  const place = chaosPlace(program);
  const seed = seedOf();
  for (let run = 0; run < RUNS; run++)
    test(`run ${run}: the transcript is the server's, and each turn ends once`, async (t) => {
      t.diagnostic(await chaosRun(place(), seed + run));
    });
});
