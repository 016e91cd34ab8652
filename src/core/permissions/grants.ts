import type { Rule } from "../session-state.ts";
import { fitsStars } from "../stars.ts";
import { exact } from "./exact.ts";
import type { CommandPart, FilePart, Part } from "./parts.ts";

/** Whether what was granted before covers a new request that is no command: each pattern granted as it is or by a `*`. */
export function allows(rules: readonly Rule[], ask: { action: string; patterns: readonly string[] }): boolean {
  const granted = rules.filter((rule) => rule.action === ask.action);
  if (granted.length === 0) return false;
  if (ask.patterns.length === 0) return granted.some((rule) => rule.patterns.length === 0);
  return ask.patterns.every((pattern) => granted.some((rule) => rule.patterns.some((one) => fitsStars(one, pattern))));
}

/** How a granted pattern names a file that the shell writes. */
export function writePattern({ paths: [path] }: FilePart): string {
  return exact(`> ${path}`);
}

/** Whether a pattern that was granted for commands is for this one, as a rule of the same words would be. */
export function grantsCommand(pattern: string, { text, spelled }: CommandPart): boolean {
  const [start = ""] = pattern.split("*", 1);
  if (pattern === exact(text)) return true;
  if (spelled > text.length || start.length < exact(text.slice(0, spelled)).length) return false;
  return fitsStars(pattern, exact(text)) || (pattern.endsWith(" *") && pattern.slice(0, -2) === exact(text));
}

/** The grants that are about a line of shell. */
export class LineGrants {
  readonly #line: string;
  readonly #same: string;
  readonly #own: readonly Rule[];
  readonly #edits: readonly string[];

  /** `same` is how a grant of the very same text would be written. */
  constructor(rules: readonly Rule[], action: string, line: string, same = exact(line)) {
    this.#line = line;
    this.#same = same;
    this.#own = rules.filter((rule) => rule.action === action);
    this.#edits = rules.filter((rule) => rule.action === "edit").flatMap(({ patterns }) => patterns);
  }

  /** The very same text was granted. */
  whole(): boolean {
    return this.#own.some(({ patterns }) => patterns.includes(this.#same));
  }

  has(part: Part): boolean {
    if (part.kind === "command")
      return this.#own.some((rule) => rule.patterns.some((pattern) => this.#covers(rule, pattern, part)));
    const [path] = part.paths;
    const granted = this.#own.some(
      ({ command, patterns }) => command !== undefined && patterns.includes(writePattern(part)),
    );
    return granted || this.#edits.includes(exact(path));
  }

  /** A grant from before commands were read was for the whole line, and must not become more. */
  #covers({ command }: Rule, pattern: string, part: CommandPart): boolean {
    if (!grantsCommand(pattern, part)) return false;
    return command !== undefined || (pattern.includes("*") && fitsStars(pattern, this.#line));
  }
}
