import type { PermissionRule as UniversalRule } from "../../../core/events/values.ts";
import type { PermissionRule } from "../shapes/session.ts";

/** A client's ruleset in the log's words. */
export function rulesFrom(rules: readonly PermissionRule[]): UniversalRule[] {
  return rules.map(({ permission, pattern, action }) => ({ action: permission, pattern, verdict: action }));
}

export function rulesetOf(rules: readonly UniversalRule[]): PermissionRule[] {
  return rules.map(({ action, pattern, verdict }) => ({ permission: action, pattern, action: verdict }));
}

/** The `tools` of a prompt as rules: each allows or denies one tool. */
export function rulesOfTools(tools: Readonly<Record<string, boolean>>): UniversalRule[] {
  return Object.entries(tools).map(([action, enabled]) => ({
    action,
    pattern: "*",
    verdict: enabled ? "allow" : "deny",
  }));
}
