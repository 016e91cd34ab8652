import { type Fields, textIn } from "./fields.ts";
import { shownPath } from "./tool-title.ts";

/** What is asked for, in the words of Parley's rules: an "always" grants exactly these patterns for the session. */
export interface Permitted {
  action: string;
  patterns: string[];
}

const ACTIONS: Readonly<Record<string, string>> = {
  Bash: "bash",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Read: "read",
  Glob: "read",
  Grep: "read",
  WebFetch: "webfetch",
  WebSearch: "websearch",
};

/** In a rule `*` stands for anything and `…` for harmless arguments, so those that are meant as such must not become one. */
function exact(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("*", "%2A").replaceAll("…", "%E2%80%A6");
}

/** Commands that only look, test or build: their plain arguments cannot make them do something else. */
const SAFE_PREFIXES: readonly RegExp[] = [
  /^(npm|pnpm|yarn|bun) (test|run [\w:.-]+)$/,
  /^cargo (build|check|clippy|fmt|test)$/,
  /^go (build|test|vet)$/,
  /^git (add|commit|status|diff|log|show|branch)$/,
  /^(ls|cat|head|tail|wc|mkdir|touch|pytest|tsc)$/,
];
/** Nothing that a shell would read as more than a word, and no options: some write files or run programs. */
const PLAIN_WORD = /^[\w@:,+=./][\w@:,+=./-]*$/;
const LONGEST_PREFIX = 3;

/** `npm run build …` for a harmless command with plain arguments, else the command as it is. */
export function commandPattern(command: string): string {
  const words = command.split(" ");
  for (let count = LONGEST_PREFIX; count >= 1; count--) {
    const prefix = words.slice(0, count).join(" ");
    const rest = words.slice(count);
    if (words.length < count || !SAFE_PREFIXES.some((safe) => safe.test(prefix))) continue;
    if (rest.every((word) => PLAIN_WORD.test(word) && staysHere(word))) return `${prefix} …`;
  }
  return exact(command);
}

/** A path elsewhere is another matter than one in the session's directory. */
function staysHere(word: string): boolean {
  return !word.startsWith("/") && !word.split("/").includes("..");
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** The patterns of a tool's call. A tool without any is granted as a whole. */
export function permitted(tool: string, input: Fields, directory: string): Permitted {
  const action = ACTIONS[tool] ?? tool;
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path") ?? textIn(input, "path");
  const command = textIn(input, "command");
  const url = textIn(input, "url");
  if (action === "bash" && command !== undefined) return { action, patterns: [commandPattern(command)] };
  if ((action === "edit" || action === "read") && path !== undefined)
    return { action, patterns: [exact(shownPath(directory, path))] };
  if (action === "webfetch" && url !== undefined) return { action, patterns: [exact(hostOf(url))] };
  return { action, patterns: [] };
}
