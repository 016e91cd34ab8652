import { startServer } from "../server.ts";
import { houseConfig, MODEL, startNative } from "./native.ts";
import type { Stage } from "./stage.ts";

/** The server that real clients are pointed at. */
export interface Target {
  url: string;
  token: string;
  /** The provider and the model of prompts that name none, as clients write them. */
  model: { providerID: string; modelID: string };
}

const TOKEN = "a-token-for-real-clients";

/** To see what OpenCode's own server does with the same test: PARLEY_TEST_TARGET=native. */
export const NATIVE = process.env.PARLEY_TEST_TARGET === "native";

/** Parley with its own agent on the stage's scripted model. When the stage closes, the laws are seen to hold. */
export async function startTarget(stage: Stage, program: string, directory: string): Promise<Target> {
  const { surroundings, model } = stage;
  if (NATIVE) {
    const options = { program, surroundings, directory, modelUrl: model.url, password: TOKEN };
    const { url } = stage.use(await startNative(options));
    return { url, token: TOKEN, model: { providerID: MODEL.provider, modelID: MODEL.id } };
  }
  const { parley } = await startServer(stage, {
    token: TOKEN,
    directory,
    defaultAgent: "house",
    house: houseConfig(model.url),
  });
  return { url: parley.url, token: TOKEN, model: { providerID: "house", modelID: `${MODEL.provider}/${MODEL.id}` } };
}
