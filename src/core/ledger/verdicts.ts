import type { PermissionRule } from "../events/values.ts";

export type Verdict = PermissionRule["verdict"];

/**
 * What a session's rules say to a request: for each pattern the last rule that fits counts, and `ask` where none does.
 * One denial denies it all; it is allowed only when every pattern is.
 */
export function verdictOn(rules: readonly PermissionRule[], action: string, patterns: readonly string[]): Verdict {
  const about = rules.filter((rule) => matches(rule.action, action));
  const verdicts = (patterns.length === 0 ? [""] : patterns).map(
    (pattern) => about.findLast((rule) => matches(rule.pattern, pattern))?.verdict ?? "ask",
  );
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("ask") ? "ask" : "allow";
}

/** `*` stands for any run of characters, `?` for one; a `*` after a last blank also for nothing at all, blank included. */
export function matches(glob: string, text: string): boolean {
  return (glob.endsWith(" *") && walk(glob.slice(0, -2), text)) || walk(glob, text);
}

/** Goes back to the last star only: earlier ones have taken the least they can, so time stays below length times length. */
function walk(glob: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let i = 0; i < text.length; ) {
    if (glob[at] === "*") {
      star = at++;
      from = i;
    } else if (at < glob.length && (glob[at] === "?" || glob[at] === text[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") at++;
  return at === glob.length;
}
