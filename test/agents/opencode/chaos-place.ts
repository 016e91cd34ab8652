import { after, before } from "node:test";
import { startNative } from "../../support/opencode/native.ts";
import { Stage } from "../../support/opencode/stage.ts";
import type { ChaosPlace } from "./chaos-run.ts";
import { CHAOS_SCRIPT } from "./chaos-script.ts";

/** A real server that all tests of a group share, as a user runs it. */
export function chaosPlace(program: string): () => ChaosPlace {
  let stage: Stage | undefined;
  let place: ChaosPlace | undefined;
  before(async () => {
    stage = await Stage.open(CHAOS_SCRIPT);
    const { surroundings, model } = stage;
    const directory = surroundings.project("chaos", { "README.md": "# Demo\n\nhello\n" });
    const native = stage.use(await startNative({ program, surroundings, directory, modelUrl: model.url }));
    place = { url: native.url, directory };
  });
  after(() => stage?.[Symbol.asyncDispose]());
  return () => {
    if (!place) throw new Error("the place is not set");
    return place;
  };
}
