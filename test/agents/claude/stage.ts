import type { TestContext } from "node:test";
import { AgentStage, type Environment, type StageOptions, setStage } from "../../support/agent-stage.ts";

export { completed, of } from "../../support/agent-stage.ts";

/** The environment in which the real program talks to the scripted model and to nobody else. */
export function surroundings(program: string, home: string, url: string): Environment {
  return {
    PARLEY_CLAUDE_BIN: program,
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test",
    ANTHROPIC_AUTH_TOKEN: undefined,
    CLAUDE_CODE_OAUTH_TOKEN: undefined,
    CLAUDE_CONFIG_DIR: undefined,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_MAX_RETRIES: "2",
    IS_SANDBOX: undefined,
  };
}

/** The real Claude Code on a stage. */
export class Stage extends AgentStage {
  static async open(t: TestContext, program: string, options: StageOptions): Promise<Stage> {
    return new Stage(await setStage(t, "claude", (home, url) => surroundings(program, home, url), options));
  }

  protected serves(command: string): boolean {
    return command.includes("--session-id") || command.includes("--resume");
  }

  /** The requests to the model, in the main conversation: not those for one token, by which the program asks whether there is a model. */
  calls(): { messages: { role: string; content: unknown }[]; model: string; max_tokens?: number }[] {
    return this.model.requests
      .filter(({ method, path }) => method === "POST" && path.startsWith("/v1/messages"))
      .map(({ body }) => body as ReturnType<Stage["calls"]>[number])
      .filter(({ max_tokens }) => max_tokens !== 1);
  }
}
