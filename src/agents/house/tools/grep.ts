import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { z } from "zod";
import { realInside } from "../../../host/files/inside.ts";
import { SKIPPED } from "../../../host/files/walk.ts";
import { runShortened } from "../../../host/run-shortened.ts";
import { ToolFailure } from "../tool-failure.ts";
import { defineTool } from "./tool.ts";

const MAX_LINES = 200;
const MAX_LINE = 300;
const LIMIT_MS = 30_000;

function shorten(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  if (lines.length > MAX_LINES) shown.push(`(${lines.length - MAX_LINES} more lines; use a narrower pattern)`);
  return shown.join("\n");
}

// The system's grep, not a regular expression in this process: one that a model made up could hold up every session.
export const grep = defineTool({
  name: "grep",
  description: `Finds lines by an extended regular expression in text files. ${SKIPPED.join(" and ")} are left out.`,
  input: z.object({
    pattern: z.string().min(1).describe("an extended regular expression"),
    path: z.string().optional().describe("a file or directory, the working directory by default"),
    include: z.string().optional().describe('only files whose name matches, such as "*.ts"'),
    ignoreCase: z.boolean().optional(),
  }),
  title: ({ pattern }) => pattern,
  async run({ pattern, path = ".", include, ignoreCase }, { host, session, directory, signal }) {
    const root = await realInside(directory, path);
    if (root === undefined) throw new ToolFailure("not_found", `${path} does not exist`);
    const spec = {
      argv: [
        "grep",
        "-srnHIE",
        ...(ignoreCase ? ["-i"] : []),
        ...SKIPPED.map((name) => `--exclude-dir=${name}`),
        ...(include === undefined ? [] : [`--include=${include}`]),
        "-e",
        pattern,
        "--",
        relative(await realpath(directory), root) || ".",
      ] as [string, ...string[]],
      directory,
      session,
    };
    const { text, code, stopped } = await runShortened({ host, spec, signal, limitMs: LIMIT_MS });
    if (stopped) throw new ToolFailure("stopped", `the search was ended (${stopped}); use a narrower pattern or path`);
    // It complains of one file that it may not read as of a pattern that is none: only words of its own tell.
    const failed = code !== 0 && code !== 1 && (code !== 2 || text.startsWith("grep:"));
    if (!failed && text === "") return { output: "nothing found" };
    if (failed) throw new ToolFailure("bad_search", text.trim() || `grep ended with code ${code}`);
    return { output: shorten(text.replaceAll(/^\.\//gm, "")) };
  },
});
