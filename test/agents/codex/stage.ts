import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { AgentStage, type Environment, type StageOptions, setStage } from "../../support/agent-stage.ts";

export { completed, of } from "../../support/agent-stage.ts";

type Value = string | number | boolean | readonly Value[];
/** Settings of the program, by their dotted names. */
export type Config = Readonly<Record<string, Value>>;

/** The scripted model as a provider; the directory of temporary files, in which the tests work, is not free to write to. */
function settings(url: string): Config {
  return {
    model: "gpt-5.5",
    model_provider: "scripted",
    check_for_update_on_startup: false,
    "analytics.enabled": false,
    "sandbox_workspace_write.exclude_slash_tmp": true,
    "sandbox_workspace_write.exclude_tmpdir_env_var": true,
    "model_providers.scripted.name": "Scripted",
    "model_providers.scripted.base_url": `${url}/v1`,
    "model_providers.scripted.wire_api": "responses",
    "model_providers.scripted.env_key": "SCRIPTED_KEY",
    "model_providers.scripted.request_max_retries": 0,
    "model_providers.scripted.stream_max_retries": 2,
  };
}

/** The program's own directory: settings, sessions, rules. */
export const codexHome = (home: string): string => join(home, ".codex");

/** The environment in which the real program talks to the scripted model and to nobody else; its settings are written to a file. */
export function surroundings(program: string, home: string, url: string, config: Config = {}): Environment {
  mkdirSync(codexHome(home), { recursive: true });
  const lines = Object.entries({ ...settings(url), ...config }).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  );
  writeFileSync(join(codexHome(home), "config.toml"), lines.join(""));
  return {
    PARLEY_CODEX_BIN: program,
    HOME: home,
    CODEX_HOME: codexHome(home),
    SCRIPTED_KEY: "test",
    OPENAI_API_KEY: undefined,
    OPENAI_BASE_URL: undefined,
    CODEX_API_KEY: undefined,
    CODEX_ACCESS_TOKEN: undefined,
  };
}

/** An item of a conversation with the model, in the Responses format. */
export interface Item {
  type: string;
  role?: string;
  content?: unknown;
  call_id?: string;
  output?: unknown;
}

export interface Call {
  model: string;
  input: Item[];
  tools?: { type: string; name?: string }[];
  reasoning?: { effort?: string } | null;
}

export interface CodexStageOptions extends StageOptions {
  config?: Config;
}

/** The real Codex on a stage. */
export class Stage extends AgentStage {
  static async open(t: TestContext, program: string, options: CodexStageOptions): Promise<Stage> {
    const around = (home: string, url: string): Environment => surroundings(program, home, url, options.config);
    return new Stage(await setStage(t, "codex", around, options));
  }

  protected serves(command: string): boolean {
    return command.includes("app-server");
  }

  /** The requests to the model. */
  calls(): Call[] {
    return this.model.requests
      .filter(({ method, path }) => method === "POST" && path.endsWith("/responses"))
      .map(({ body }) => body as Call);
  }

  /** The words of both sides in the last request to the model, without what the program adds. */
  remembered(): string[] {
    const { input = [] } = this.calls().at(-1) ?? {};
    return input
      .filter(({ type, role }) => type === "message" && (role === "user" || role === "assistant"))
      .flatMap(({ content }) => (content as { text?: string }[]).map(({ text = "" }) => text.trim()))
      .filter((text) => text !== "" && !text.startsWith("<"));
  }
}
