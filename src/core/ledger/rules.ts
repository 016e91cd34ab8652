import type { Rule } from "../session-state.ts";

/** Whether what was granted before covers a new request: the same action, and each pattern granted as it is or by a `*`. */
export function allows(
  rules: readonly Rule[],
  ask: { kind: string; action?: string; patterns?: readonly string[] },
): boolean {
  if (ask.kind !== "permission") return false;
  const granted = rules.filter((rule) => rule.action === ask.action);
  if (granted.length === 0) return false;
  const patterns = ask.patterns ?? [];
  if (patterns.length === 0) return granted.some((rule) => rule.patterns.length === 0);
  return patterns.every((pattern) =>
    granted.some((rule) => rule.patterns.some((rulePattern) => covers(rulePattern, pattern))),
  );
}

/** `*` stands for any run of characters; everything else for itself. */
export function covers(rulePattern: string, pattern: string): boolean {
  if (!rulePattern.includes("*")) return rulePattern === pattern;
  const pieces = rulePattern.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (!pattern.startsWith(first) || !pattern.endsWith(last) || pattern.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = pattern.indexOf(piece, at);
    if (found < 0 || found + piece.length > pattern.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
