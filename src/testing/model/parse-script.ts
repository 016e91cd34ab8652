import { readFile } from "node:fs/promises";
import { isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import type { Script } from "./script.ts";
import { scriptSchema } from "./script-schema.ts";

/** A script that cannot be used; the message has one line a problem, each with its place in the file. */
export class ScriptError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ScriptError";
  }
}

interface Problem {
  path: readonly PropertyKey[];
  message: string;
}

/** Of the shapes that a value may have, the one whose problems lie deepest is the one that was meant. */
function problemsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) {
    return [{ path, message: issue.message.replace(/^Invalid (input|option): /, "") }];
  }
  const branches = issue.errors.map((errors) => errors.flatMap((error) => problemsOf(error, path)));
  const depth = (branch: readonly Problem[]) => Math.max(...branch.map((problem) => problem.path.length));
  const deepest = Math.max(...branches.map(depth));
  const best = branches.filter((branch) => depth(branch) === deepest);
  if (best.length === 1) return best[0] ?? [];
  return [{ path, message: [...new Set(best.flat().map((problem) => problem.message))].join(", or ") }];
}

function spelled(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
}

/** Reads a script. `name` is what problems call it. */
export function parseScript(source: string, name = "script"): Script {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    const hint = /^\s*\*\s*:/m.test(source) ? ' ("*" needs its quotes in YAML)' : "";
    throw new ScriptError(document.errors.map((error) => `${at(error.pos[0])}: ${error.message}${hint}`));
  }
  const result = scriptSchema.safeParse(document.toJS());
  if (result.success) return result.data;
  const place = (path: readonly PropertyKey[]): string => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) || path.length === 0 ? at(isNode(node) ? node.range?.[0] : 0) : place(path.slice(0, -1));
  };
  const problems = result.error.issues.flatMap((issue) => problemsOf(issue));
  throw new ScriptError(
    problems.map(({ path, message }) => `${place(path)}: ${path.length === 0 ? "" : `${spelled(path)}: `}${message}`),
  );
}

export async function loadScript(file: string): Promise<Script> {
  return parseScript(await readFile(file, "utf8"), file);
}
