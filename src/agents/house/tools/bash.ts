import { z } from "zod";
import { offeredPatterns } from "../../../core/permissions/offer.ts";
import { runShortened, type Shortened } from "../../../host/run-shortened.ts";
import { shellSpec } from "../../../host/shell-spec.ts";
import { type Done, defineTool } from "./tool.ts";

const DEFAULT_S = 120;
const MAX_S = 600;

const STOPPED = {
  time: "the command was ended: its time was up",
  output: "the command was ended: it wrote too much",
  aborted: "the command was ended: aborted",
} as const;

function doneOf({ text, code, stopped, signal }: Shortened): Done {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const failed = (error: NonNullable<Done["error"]>): Done => ({
    ok: false,
    output: `${text}${gap}(${error.message})`,
    error,
  });
  if (stopped)
    return failed({ code: stopped === "aborted" ? "aborted" : `limit_${stopped}`, message: STOPPED[stopped] });
  if (code === null) return failed({ code: "killed", message: `the command was ended by ${signal ?? "a signal"}` });
  const metadata = { exitCode: code };
  return { output: code === 0 ? text : `${text}${gap}(exit code ${code})`, metadata };
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
  async run({ command, seconds = DEFAULT_S }, { permit, host, session, directory, trusted, signal, output }) {
    await permit({ action: "bash", command, patterns: offeredPatterns(command, directory), title: command });
    const spec = shellSpec(command, { directory, session, trusted });
    return doneOf(await runShortened({ host, spec, signal, limitMs: seconds * 1000, output }));
  },
});
