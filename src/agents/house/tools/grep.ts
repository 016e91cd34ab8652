import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { z } from "zod";
import { exact } from "../../../core/permissions/exact.ts";
import { realInside } from "../../../host/files/inside.ts";
import { SKIPPED } from "../../../host/files/walk.ts";
import { runShortened } from "../../../host/run-shortened.ts";
import { ToolFailure } from "../turn/tool-failure.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const MAX_LINES = 200;
const MAX_LINE = 300;
const LIMIT_MS = 30_000;

/** Rules for `read` hold for `grep`, too: a found line is a part of its file. */
async function mayRead(file: string, { verdictOn }: ToolContext): Promise<boolean> {
  return (await verdictOn({ action: "read", patterns: [exact(file)], title: file })) === "go";
}

/** The lines of files that may be read. The name of a file ends with a zero; a line without one has lost its name. */
async function shorten(text: string, readable: (file: string) => Promise<boolean>): Promise<string> {
  const known = new Map<string, boolean>();
  const shown: string[] = [];
  let nameless = false;
  const lines = text.trimEnd().split("\n");
  for (const line of lines.slice(0, MAX_LINES)) {
    const [name = "", rest] = line.split("\0", 2);
    const file = name.replace(/^\.\//, "");
    if (rest === undefined) {
      nameless = true;
      continue;
    }
    if (!known.has(file)) known.set(file, await readable(file));
    const row = `${file}:${rest}`;
    if (known.get(file)) shown.push(row.length > MAX_LINE ? `${row.slice(0, MAX_LINE)}…` : row);
  }
  if (lines.length > MAX_LINES) shown.push(`(${lines.length - MAX_LINES} more lines; use a narrower pattern)`);
  if (nameless) shown.push("(there is more; use a narrower pattern)");
  const closed = [...known.values()].filter((open) => !open).length;
  if (closed > 0) shown.push(`(files left out because of a rule of this session: ${closed})`);
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
  intent: ({ pattern }) => ({ action: "grep", patterns: [exact(pattern)], title: pattern }),
  async run({ pattern, path = ".", include, ignoreCase }, context) {
    const { host, session, directory, signal } = context;
    const root = await realInside(directory, path);
    if (root === undefined) throw new ToolFailure("not_found", `${path} does not exist`);
    const flags = ["-srnHIEZ", ...SKIPPED.map((name) => `--exclude-dir=${name}`)];
    if (ignoreCase) flags.push("-i");
    if (include !== undefined) flags.push(`--include=${include}`);
    const where = relative(await realpath(directory), root) || ".";
    const spec = { argv: ["grep", ...flags, "-e", pattern, "--", where] as const, directory, session };
    const { text, code, stopped } = await runShortened({ host, spec, signal, limitMs: LIMIT_MS });
    if (stopped) throw new ToolFailure("stopped", `the search was ended (${stopped}); use a narrower pattern or path`);
    // It complains of one file that it may not read as of a pattern that is none: only words of its own tell.
    const failed = code !== 0 && code !== 1 && (code !== 2 || text.startsWith("grep:"));
    if (!failed && text === "") return { output: "nothing found" };
    if (failed) throw new ToolFailure("bad_search", text.trim() || `grep ended with code ${code}`);
    return { output: await shorten(text, (file) => mayRead(file, context)) };
  },
});
