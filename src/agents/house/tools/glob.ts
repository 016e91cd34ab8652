import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { exact } from "../../../core/permissions/exact.ts";
import { realInside, shownPath } from "../../../host/files/inside.ts";
import { SKIPPED, walk } from "../../../host/files/walk.ts";
import { ToolFailure } from "../turn/tool-failure.ts";
import { globMatcher } from "./glob-match.ts";
import { defineTool } from "./tool.ts";

const MAX_FOUND = 200;

export const glob = defineTool({
  name: "glob",
  description: `Lists files by a pattern such as "src/**/*.ts" or "*.md". ${SKIPPED.join(" and ")} are left out.`,
  input: z.object({
    pattern: z.string().min(1),
    path: z.string().optional().describe("the directory to look in, the working directory by default"),
  }),
  title: ({ pattern }) => pattern,
  intent: ({ pattern }) => ({ action: "glob", patterns: [exact(pattern)], title: pattern }),
  async run({ pattern, path = "." }, { directory, signal }) {
    const root = await realInside(directory, path);
    if (root === undefined) throw new ToolFailure("not_found", `${path} does not exist`);
    const base = await realpath(directory);
    const matches = globMatcher(pattern);
    const found: string[] = [];
    for await (const { path: file, directory: isDirectory } of walk(root, { signal })) {
      if (isDirectory || !matches(file)) continue;
      // Paths are shown from the working directory, as every tool takes them.
      if (found.push(shownPath(base, join(root, file))) > MAX_FOUND) break;
    }
    if (found.length === 0) return { output: "no file matches" };
    const shown = found.slice(0, MAX_FOUND).sort();
    if (found.length > MAX_FOUND) shown.push(`(more than ${MAX_FOUND}; use a narrower pattern)`);
    return { output: shown.join("\n") };
  },
});
