import { describe, test } from "node:test";
import { CHAOS_SCRIPT } from "../../agents/opencode/chaos-script.ts";
import { killRun } from "../../agents/opencode/kills.ts";
import { sharedStage } from "../../agents/opencode/shared-stage.ts";
import { seedOf } from "../../support/random.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS, long } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const RUNS = 2;

describe("deaths of the real OpenCode", { skip: skip || long.skip, timeout: GROUP_MS }, () => {
  const stage = sharedStage(program, { script: CHAOS_SCRIPT });
  const seed = seedOf();
  for (let run = 0; run < RUNS; run++)
    test(`run ${run}: killed anywhere, the turn ends once, and the next prompt works`, async (t) => {
      t.diagnostic(await killRun(stage(), seed + run));
    });
});
