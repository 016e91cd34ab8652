import { type CommandHost, SpawnFailed } from "../../../host/contract.ts";
import { type Captured, capture } from "../../../host/run-to-end.ts";

const LIMIT_MS = 15_000;
const MAX_CHARS = 16_000_000;

/** Nothing may wait for a person, and nothing that git runs gets the token. */
const ENVIRONMENT = { GIT_TERMINAL_PROMPT: "0", GIT_PAGER: "cat", LC_ALL: "C", PARLEY_TOKEN: undefined };

/** Looking must not write, and a repository's own settings must not run programs while it is looked at. */
const SETTINGS = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];

export interface GitOptions {
  errors?: "shown" | "dropped";
  maxChars?: number;
  settings?: readonly string[];
}

export type Git = (directory: string, args: readonly string[], options?: GitOptions) => Promise<Captured>;

/** Git, bounded in time and output. Where it is not installed, its code is 127, as a shell says it. */
export function gitOn(commands: CommandHost): Git {
  return async (directory, args, { errors = "dropped", maxChars = MAX_CHARS, settings = [] } = {}) => {
    const argv = ["git", ...SETTINGS, ...settings, ...args] as [string, ...string[]];
    const spec = { argv, directory, session: "workspace", env: ENVIRONMENT, errors };
    try {
      return await capture({ host: commands, spec, limitMs: LIMIT_MS, maxChars });
    } catch (error) {
      if (error instanceof SpawnFailed) return { text: "", code: 127 };
      throw error;
    }
  };
}

/** Its records end with a NUL, since a path may hold anything else. */
export function records({ text, code }: Captured): string[] {
  return code === 0 ? text.split("\0").filter((one) => one !== "") : [];
}
