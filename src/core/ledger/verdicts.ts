import type { PermissionRule } from "../events/values.ts";
import { percentDecoded } from "../percent.ts";
import { lineVerdict, type Verdict } from "../permissions/command-verdict.ts";
import { fileVerdict } from "../permissions/file-verdict.ts";
import { matches } from "../permissions/glob.ts";
import { allows, LineGrants } from "../permissions/grants.ts";
import { absolutePath, ruledPath } from "../permissions/paths.ts";
import type { Grant } from "../session-state.ts";

/** A request for a permission. `command` is the whole line of shell, where it is one. */
export interface Asked {
  action: string;
  patterns: readonly string[];
  command?: string;
}

/** The session's rules and its grants, which decide without a person. */
interface Deciders {
  permissions: readonly PermissionRule[];
  granted: readonly Grant[];
  directory: string;
}

/** Actions whose patterns are paths. */
const FILES: ReadonlySet<string> = new Set(["edit", "read", "write", "list"]);

const CHANGES: ReadonlySet<string> = new Set(["edit", "write"]);

/** The verdict on several things: denied when one is denied, allowed only when all are. */
function together(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("ask") ? "ask" : "allow";
}

/** For each pattern the last rule that fits counts, and `ask` where none does. */
export function verdictOn(rules: readonly PermissionRule[], action: string, patterns: readonly string[]): Verdict {
  const about = rules.filter((rule) => matches(rule.action, action));
  return together(
    (patterns.length === 0 ? [""] : patterns).map(
      (pattern) => about.findLast((rule) => matches(rule.pattern, pattern))?.verdict ?? "ask",
    ),
  );
}

/** The verdict on files. All spellings of a path count as the same file: `./a`, `b/../a`, from the root. Stars and percents in it are literal. */
function verdictOnFiles(rules: readonly PermissionRule[], { action, patterns }: Asked, directory: string): Verdict {
  const about = rules.filter((rule) => matches(rule.action, action));
  const verdictOf = (path: string): Verdict => {
    const verdict = fileVerdict(about, [path, ruledPath(directory, path), absolutePath(directory, path)]);
    return verdict === undefined || verdict === "doubt" ? "ask" : verdict;
  };
  return together(
    patterns.map((pattern) => {
      const plain = percentDecoded(pattern);
      const verdict = verdictOf(plain);
      return plain === pattern || verdict === "deny" ? verdict : together([verdict, verdictOf(pattern)]);
    }),
  );
}

/** Whether a change of files that are not named may be one of those that a later rule denies, or has asked. */
function mayBeHeld(rules: readonly PermissionRule[], action: string): boolean {
  const about = CHANGES.has(action) ? rules.filter((rule) => matches(rule.action, action)) : [];
  const later = about.slice(about.findLastIndex(({ pattern }) => matches(pattern, "")) + 1);
  return later.some(({ verdict }) => verdict !== "allow");
}

function verdictOnLine(
  { permissions, granted, directory }: Deciders,
  action: string,
  line: string,
  same?: string,
): Verdict {
  const grants = new LineGrants(granted, action, line, same);
  const verdict = lineVerdict(permissions, { action, line, directory }, (part) => grants.has(part));
  return verdict === "ask" && grants.whole() ? "allow" : verdict;
}

/** The verdict of a session's rules and its grants on a permission. A denial counts more than a grant before it. */
export function decide(deciders: Deciders, asked: Asked): Verdict {
  const { action, patterns, command } = asked;
  const { permissions, granted, directory } = deciders;
  if (command !== undefined) return verdictOnLine(deciders, action, command);
  // An agent that gives no command names it by its patterns, which it may escape.
  if (action === "bash" && patterns.length > 0)
    return together(patterns.map((pattern) => verdictOnLine(deciders, action, pattern, pattern)));
  const isNamed = FILES.has(action) && patterns.length > 0;
  const told = isNamed ? verdictOnFiles(permissions, asked, directory) : verdictOn(permissions, action, patterns);
  const verdict = told === "allow" && patterns.length === 0 && mayBeHeld(permissions, action) ? "ask" : told;
  return verdict === "ask" && allows(granted, asked) ? "allow" : verdict;
}
