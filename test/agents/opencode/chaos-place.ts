import { after, before } from "node:test";
import { Api } from "../../../src/agents/opencode/api.ts";
import { EventStream } from "../../../src/agents/opencode/follow/event-stream.ts";
import { type Fields, fieldsIn, textIn } from "../../../src/core/json/fields.ts";
import { startNative } from "../../support/opencode/native.ts";
import { Stage } from "../../support/opencode/stage.ts";
import type { ChaosPlace } from "./chaos-run.ts";
import { CHAOS_SCRIPT } from "./chaos-script.ts";

const ENDS: readonly unknown[] = ["completed", "error"];

/** Listens to the server itself, without faults: the first end of each call, by its part. */
async function firstEnds(url: string, directory: string): Promise<{ ends: Map<string, Fields>; close(): void }> {
  const ends = new Map<string, Fields>();
  const event = (told: Fields): void => {
    const part = fieldsIn(fieldsIn(told, "properties"), "part");
    const id = textIn(part, "id");
    const state = fieldsIn(part, "state");
    if (id !== undefined && ENDS.includes(state.status) && !ends.has(id)) ends.set(id, state);
  };
  const stream = new EventStream(new Api({ url, headers: {} }, directory), { event, lost() {}, connected() {} });
  await stream.ready();
  return { ends, close: () => stream.close() };
}

/** A real server that all tests of a group share, as a user runs it. */
export function chaosPlace(program: string): () => ChaosPlace {
  let stage: Stage | undefined;
  let place: ChaosPlace | undefined;
  let closeStream: (() => void) | undefined;
  before(async () => {
    stage = await Stage.open(CHAOS_SCRIPT);
    const { surroundings, model } = stage;
    const directory = surroundings.project("chaos", { "README.md": "# Demo\n\nhello\n" });
    const native = stage.use(await startNative({ program, surroundings, directory, modelUrl: model.url }));
    const { ends, close } = await firstEnds(native.url, directory);
    closeStream = close;
    place = { url: native.url, directory, ends };
  });
  after(async () => {
    closeStream?.();
    await stage?.[Symbol.asyncDispose]();
  });
  return () => {
    if (!place) throw new Error("the place is not set");
    return place;
  };
}
