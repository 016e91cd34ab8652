import { join } from "node:path";
import type { Environment } from "../../support/agent-stage.ts";
import { installInto, QUIET } from "./offline.ts";

/** The scripted model, by the name that OpenCode has for it. */
export const MODEL = "fake/fake-model";

const LIMIT = { context: 100_000, output: 8_000 };

export type Config = Readonly<Record<string, unknown>>;

/** OpenCode's settings with the scripted model as its only provider. */
export function settings(url: string): Config {
  const thinks = { name: "Fake Model", tool_call: true, reasoning: true, limit: LIMIT };
  return {
    model: MODEL,
    small_model: MODEL,
    share: "disabled",
    autoupdate: false,
    enabled_providers: ["fake"],
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${url}/v1`, apiKey: "sk-fake" },
        models: {
          "fake-model": { ...thinks, variants: { high: { reasoningEffort: "high" }, low: { reasoningEffort: "low" } } },
          plain: { name: "Plain", tool_call: true, limit: LIMIT },
        },
      },
    },
  };
}

/** The environment in which the real program talks to the scripted model and to nobody else. */
export function surroundings(program: string, home: string, url: string, config: Config = {}): Environment {
  installInto(join(home, ".config"));
  return {
    PARLEY_OPENCODE_BIN: program,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings(url), ...config }),
    OPENCODE_CONFIG: undefined,
    OPENCODE_CONFIG_DIR: undefined,
    OPENCODE_SERVER_PASSWORD: undefined,
    ...QUIET,
  };
}
