import type { HouseConfig } from "../../../src/server/agents.ts";
import { PATIENCE_MS } from "../time.ts";
import { startChild } from "./child.ts";
import type { Surroundings } from "./surroundings.ts";

/** Where Parley's house agent and native OpenCode find the scripted model, under the same name. */
export const MODEL = { provider: "stand-in", id: "model", name: "Scripted Model" } as const;

const LIMITS = { context: 200_000, output: 32_000 };
const START_MS = PATIENCE_MS;

/** OpenCode's configuration with the scripted model as its only one. */
export function nativeConfig(modelUrl: string): object {
  const model = `${MODEL.provider}/${MODEL.id}`;
  return {
    model,
    small_model: model,
    share: "disabled",
    autoupdate: false,
    enabled_providers: [MODEL.provider],
    provider: {
      [MODEL.provider]: {
        npm: "@ai-sdk/openai-compatible",
        name: MODEL.name,
        options: { baseURL: `${modelUrl}/v1`, apiKey: "none" },
        models: { [MODEL.id]: { name: MODEL.name, tool_call: true, reasoning: true, limit: LIMITS } },
      },
    },
  };
}

/** The same model for Parley's own agent. */
export function houseConfig(modelUrl: string): HouseConfig {
  return {
    model: `${MODEL.provider}/${MODEL.id}`,
    endpoints: {
      [MODEL.provider]: {
        url: `${modelUrl}/v1`,
        format: "chat",
        models: [{ id: MODEL.id, name: MODEL.name, ...LIMITS }],
      },
    },
  };
}

export interface NativeOptions {
  program: string;
  surroundings: Surroundings;
  /** The directory of requests that name none. */
  directory: string;
  modelUrl: string;
  password?: string;
  /** Its whole configuration, in place of the one with the scripted model alone. */
  config?: object;
}

export interface NativeServer {
  url: string;
  pid: number;
  stderr(): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A real `opencode serve`. A request that comes before its line on stdout would never be answered. */
export async function startNative(options: NativeOptions): Promise<NativeServer> {
  const { program, surroundings, directory, modelUrl, password, config = nativeConfig(modelUrl) } = options;
  const env = surroundings.env(
    {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      ...(password === undefined ? {} : { OPENCODE_SERVER_PASSWORD: password }),
    },
    "native",
  );
  const child = startChild(program, ["serve", "--hostname", "127.0.0.1", "--port", "0"], { cwd: directory, env });
  try {
    const [, url = ""] = await child.said(/listening on (http:\/\/\S+)/, START_MS);
    return {
      url,
      pid: child.pid,
      stderr: () => child.stderr(),
      async [Symbol.asyncDispose]() {
        await child.end();
      },
    };
  } catch (thrown) {
    await child.end();
    throw thrown;
  }
}
