import { after, before } from "node:test";
import { Closers } from "../../support/closers.ts";
import { type OpenCodeStageOptions, Stage } from "./stage.ts";

/** A stage that all tests of a group share, with one server of the program. `close` counts the turns of all of them. */
export function sharedStage(program: string, options: OpenCodeStageOptions): () => Stage {
  const closers = new Closers();
  let stage: Stage | undefined;
  before(async () => {
    stage = await Stage.open(closers, program, options);
  });
  after(() => closers.close());
  return () => {
    if (!stage) throw new Error("the stage is not set");
    return stage;
  };
}
