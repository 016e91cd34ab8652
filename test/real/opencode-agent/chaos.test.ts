import { after, before, describe, test } from "node:test";
import { type ChaosPlace, chaosRun } from "../../agents/opencode/chaos-run.ts";
import { CHAOS_SCRIPT } from "../../agents/opencode/chaos-script.ts";
import { startNative } from "../../support/opencode/native.ts";
import { Stage } from "../../support/opencode/stage.ts";
import { seedOf } from "../../support/random.ts";
import { realAgent } from "../../support/real-agent.ts";
import { GROUP_MS } from "../../support/time.ts";

const { program = "", skip } = await realAgent("opencode");

const RUNS = Number(process.env.RUNS ?? 20);

describe("a bad connection to the real OpenCode", { skip, timeout: GROUP_MS }, () => {
  let stage: Stage;
  let place: ChaosPlace;
  before(async () => {
    stage = await Stage.open(CHAOS_SCRIPT);
    const { surroundings, model } = stage;
    const directory = surroundings.project("chaos", { "README.md": "# Demo\n\nhello\n" });
    const native = stage.use(await startNative({ program, surroundings, directory, modelUrl: model.url }));
    place = { url: native.url, directory };
  });
  after(() => stage[Symbol.asyncDispose]());

  const seed = seedOf();
  for (let run = 0; run < RUNS; run++)
    test(`run ${run}: the transcript is the server's, and each turn ends once`, async (t) => {
      t.diagnostic(await chaosRun(place, seed + run));
    });
});
