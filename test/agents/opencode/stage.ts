import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentStage, type Environment, type StageOptions, setStage } from "../../support/agent-stage.ts";
import type { Random } from "../../support/random.ts";
import type { Cleanup } from "../../support/server.ts";
import { type Config, surroundings } from "./surroundings.ts";

export { completed, of } from "../../support/agent-stage.ts";

/** A request to the scripted model. */
export interface Call {
  model: string;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string } }[];
  reasoning_effort?: string;
}

export interface OpenCodeStageOptions extends StageOptions {
  config?: Config;
}

/** Whether a command line is that of a server of the program. */
export function isServer(command: string): boolean {
  return /opencode\0serve\0/.test(command);
}

/** The most events of a turn that are let come before the program is killed. */
const LAST_POINT = 20;

/** The real OpenCode on a stage. A start of its server takes seconds, so that tests share a stage and have directories of their own. */
export class Stage extends AgentStage {
  static async open(t: Cleanup, program: string, options: OpenCodeStageOptions): Promise<Stage> {
    const around = (home: string, url: string): Environment => surroundings(program, home, url, options.config);
    return new Stage(await setStage(t, "opencode", around, options));
  }

  protected serves(command: string): boolean {
    return isServer(command);
  }

  /** A directory of its own for a session, with files. */
  project(name: string, files: Readonly<Record<string, string>> = {}): string {
    const directory = join(this.directory, "..", `project-${name}`);
    mkdirSync(directory, { recursive: true });
    for (const [path, text] of Object.entries({ "README.md": "# Demo\n\nhello\n", ...files })) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return directory;
  }

  /** The requests to the model for replies, without those for titles. */
  calls(): Call[] {
    return this.model.requests
      .filter(({ method, path }) => method === "POST" && path.endsWith("/chat/completions"))
      .map(({ body }) => body as Call)
      .filter(({ tools = [] }) => tools.length > 0);
  }

  /** The words of both sides in the last request to the model, without what the program adds. */
  remembered(): string[] {
    const { messages = [] } = this.calls().at(-1) ?? {};
    return messages
      .filter(({ role }) => role === "user" || role === "assistant")
      .map(({ content }) => wordsIn(content))
      .filter((text) => text !== "" && !text.startsWith("<"));
  }

  /** Ends the server without a warning. */
  killServers(): number[] {
    const pids = this.programs();
    for (const pid of pids) process.kill(pid, "SIGKILL");
    return pids;
  }

  /** The same at a point of the running turn that chance chooses: after some of its events, or soon after its end. Resolves with the place. */
  async killSomewhere(session: string, random: Random): Promise<string> {
    const seen = this.stream.events.length;
    const wanted = random.between(0, LAST_POINT);
    const place = await this.stream.when(({ events }) => {
      const own = events.slice(seen).filter((event) => event.session === session);
      const last = own.findIndex(({ type }) => type === "turn.ended");
      if (last >= 0 && last < wanted) return "after the turn's end";
      return own.length >= wanted && `after ${own.slice(0, wanted).at(-1)?.type ?? "nothing"} (${wanted})`;
    }, `${wanted} events of ${session}`);
    this.killServers();
    return place;
  }
}

function wordsIn(content: unknown): string {
  if (typeof content === "string") return content.trim();
  return Array.isArray(content) ? String((content[0] as { text?: string } | undefined)?.text ?? "").trim() : "";
}
