import type { Grant } from "../session-state.ts";
import { fitsStars } from "../stars.ts";
import type { CommandPart } from "./command-part.ts";
import { exact } from "./exact.ts";
import { isBeyondFamily } from "./families.ts";
import type { FilePart } from "./file-part.ts";
import type { Part } from "./parts.ts";

/** Whether grants cover a new request that is no command: each of its patterns, as it is or by a `*`. */
export function allows(grants: readonly Grant[], ask: { action: string; patterns: readonly string[] }): boolean {
  const granted = grants.filter(({ action }) => action === ask.action);
  if (granted.length === 0) return false;
  if (ask.patterns.length === 0) return granted.some(({ patterns }) => patterns.length === 0);
  return ask.patterns.every((pattern) =>
    granted.some(({ patterns }) => patterns.some((one) => fitsStars(one, pattern))),
  );
}

/** The pattern that grants the shell to write a file. */
export function writePattern({ paths: [path] }: FilePart): string {
  return exact(`> ${path}`);
}

/** Whether a granted pattern covers a command, as a rule with the same pattern would; a rule that somebody wrote means what it says, a family that was offered does not mean all. */
export function grantsCommand(pattern: string, { text, spelled, words }: CommandPart): boolean {
  const [start = ""] = pattern.split("*", 1);
  if (pattern === exact(text)) return true;
  if (isBeyondFamily(words.map(({ value }) => value))) return false;
  if (spelled > text.length || start.length < exact(text.slice(0, spelled)).length) return false;
  return fitsStars(pattern, exact(text)) || (pattern.endsWith(" *") && pattern.slice(0, -2) === exact(text));
}

/** The grants that are about a line of shell. */
export class LineGrants {
  readonly #line: string;
  readonly #same: string;
  readonly #own: readonly Grant[];
  readonly #edits: readonly string[];

  /** `same` is how a grant of the very same text would be written. */
  constructor(grants: readonly Grant[], action: string, line: string, same = exact(line)) {
    this.#line = line;
    this.#same = same;
    this.#own = grants.filter((grant) => grant.action === action);
    this.#edits = grants.filter((grant) => grant.action === "edit").flatMap(({ patterns }) => patterns);
  }

  /** The very same text was granted. */
  whole(): boolean {
    return this.#own.some(({ patterns }) => patterns.includes(this.#same));
  }

  has(part: Part): boolean {
    if (part.kind === "command")
      return this.#own.some((grant) => grant.patterns.some((pattern) => this.#covers(grant, pattern, part)));
    const [path] = part.paths;
    const granted = this.#own.some(
      ({ command, patterns }) => command !== undefined && patterns.includes(writePattern(part)),
    );
    return granted || this.#edits.includes(exact(path));
  }

  /** An old grant without a command was for a whole line, and must not allow more. */
  #covers({ command }: Grant, pattern: string, part: CommandPart): boolean {
    if (!grantsCommand(pattern, part)) return false;
    return command !== undefined || (pattern.includes("*") && fitsStars(pattern, this.#line));
  }
}
