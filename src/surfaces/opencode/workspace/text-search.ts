import { type CommandHost, SpawnFailed } from "../../../host/contract.ts";
import type { Git } from "../../../host/git/git.ts";
import { capture } from "../../../host/run-to-end.ts";
import { badRequest } from "../errors.ts";
import { readBytes } from "./files.ts";
import { literalSearch } from "./literal-search.ts";
import { matchesOfColoured, matchesOfRipgrep, type TextMatch } from "./search-output.ts";

export interface SearchOptions {
  directory: string;
  /** A regular expression, in the dialect of the program that looks: they agree on what is common. */
  pattern: string;
  limit: number;
}

const LIMIT_MS = 10_000;
const MAX_CHARS = 4_000_000;
const ENVIRONMENT = { PARLEY_TOKEN: undefined };

const MISSING = Symbol("the program is not there");
type Found = TextMatch[] | typeof MISSING;

function notUnderstood(pattern: string): Error {
  return badRequest(`expected a regular expression, got "${pattern.slice(0, 100)}"`, "Query");
}

async function ripgrep(host: CommandHost, { directory, pattern, limit }: SearchOptions): Promise<Found> {
  const flags = ["--json", "--no-config", "--hidden", "--glob=!.git/*", "--sort=path", `--max-count=${limit}`];
  const argv = ["rg", ...flags, "--regexp", pattern, "--", "."] as [string, ...string[]];
  const spec = { argv, directory, session: "workspace", env: ENVIRONMENT, errors: "dropped" } as const;
  try {
    const { text, code, stopped } = await capture({ host, spec, limitMs: LIMIT_MS, maxChars: MAX_CHARS });
    if (code === 2 && text === "" && !stopped) throw notUnderstood(pattern);
    return matchesOfRipgrep(text, limit);
  } catch (error) {
    if (error instanceof SpawnFailed) return MISSING;
    throw error;
  }
}

/** Colours are how it tells which part of a line matched; everything else is left plain. */
const PLAIN = ["context", "filename", "function", "lineNumber", "column", "selected", "separator"];
const SETTINGS = [
  ...PLAIN.flatMap((name) => ["-c", `color.grep.${name}=`]),
  ...["-c", "color.grep.match=red", "-c", "grep.fullName=false", "-c", "grep.column=false"],
];

/** A search also fails on a file that is too large for it. */
async function isPattern(git: Git, directory: string, pattern: string): Promise<boolean> {
  return (await git(directory, ["grep", "--no-index", "-E", "-e", pattern, "--", ":(exclude)*"])).code === 1;
}

async function gitGrep(git: Git, { directory, pattern, limit }: SearchOptions): Promise<Found> {
  const args = ["grep", "--no-index", "--exclude-standard", "--color=always", "-z", "-n", "-I", "-E"];
  const options = { settings: SETTINGS, maxChars: MAX_CHARS };
  const { text, code, stopped } = await git(directory, [...args, "-e", pattern, "--", "."], options);
  if (code === 127) return MISSING;
  if (code === 128 && !stopped) {
    if (!(await isPattern(git, directory, pattern))) throw notUnderstood(pattern);
    return MISSING;
  }
  return withOffsets(directory, matchesOfColoured(text, limit));
}

/** Where in its file each line begins. */
async function withOffsets(directory: string, matches: TextMatch[]): Promise<TextMatch[]> {
  for (const [path, inFile] of Map.groupBy(matches, (match) => match.path.text)) {
    const bytes = await readBytes(directory, path).catch(() => undefined);
    let line = 1;
    let at = 0;
    for (const match of inFile) {
      for (; bytes && line < match.line_number; line += 1) at = bytes.indexOf(10, at) + 1;
      match.absolute_offset = at;
    }
  }
  return matches;
}

/**
 * Looks for text in the files of a directory. A program does it, and not this process: a regular expression that somebody
 * made up could hold up every session. Nothing is ever downloaded for it.
 */
export async function findText(host: CommandHost, git: Git, options: SearchOptions): Promise<TextMatch[]> {
  const first = await ripgrep(host, options);
  if (first !== MISSING) return first;
  const second = await gitGrep(git, options);
  if (second !== MISSING) return second;
  return literalSearch(options.directory, options.pattern, options.limit);
}
