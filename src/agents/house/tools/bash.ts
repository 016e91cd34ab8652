import { z } from "zod";
import { exactPattern } from "../permissions.ts";
import { type Ran, runForModel } from "./run.ts";
import { type Done, defineTool } from "./tool.ts";

const DEFAULT_S = 120;
const MAX_S = 600;

/** Nothing in a command may wait for a person, and nothing it runs may answer for one with Parley's token. */
const ENVIRONMENT = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  TERM: "dumb",
  PARLEY_TOKEN: undefined,
} as const;

const STOPPED = {
  time: "the command was ended: its time was up",
  output: "the command was ended: it wrote too much",
  aborted: "the command was ended: aborted",
} as const;

function doneOf({ text, code, stopped }: Ran): Done {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  if (stopped) {
    const message = STOPPED[stopped];
    const error = { code: stopped === "aborted" ? "aborted" : `limit_${stopped}`, message };
    return { ok: false, output: `${text}${gap}(${message})`, error };
  }
  const metadata = { exitCode: code };
  if (code === 0) return { output: text, metadata };
  return { output: `${text}${gap}(exit code ${code ?? "none"})`, metadata };
}

export const bash = defineTool({
  name: "bash",
  description: `Runs a shell command in the working directory and returns what it wrote. It ends after ${DEFAULT_S} seconds unless told otherwise; what it leaves in the background is ended with it.`,
  input: z.object({
    command: z.string().min(1),
    seconds: z.int().min(1).max(MAX_S).optional().describe(`time limit, ${DEFAULT_S} by default, ${MAX_S} at most`),
  }),
  writes: true,
  title: ({ command }) => command,
  async run({ command, seconds = DEFAULT_S }, { permit, host, session, directory, signal, output }) {
    await permit({ action: "bash", patterns: [exactPattern(command)], title: command });
    const shell = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';
    const spec = { argv: ["sh", "-c", shell, "sh", command] as const, directory, session, env: ENVIRONMENT };
    return doneOf(await runForModel({ host, spec, signal, limitMs: seconds * 1000, output }));
  },
});
