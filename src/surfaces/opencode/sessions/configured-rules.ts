import { homedir } from "node:os";
import { z } from "zod";
import type { PermissionRule } from "../shapes/session.ts";

const action = z.enum(["allow", "ask", "deny"]);
const rulesOfTool = z.union([action, z.record(z.string(), action)]);

export type PermissionConfig = Record<string, z.output<typeof rulesOfTool>>;

/** `permission` of an OpenCode configuration: a verdict for all tools, or for a tool, or for each pattern of a tool. */
export const permissionConfig = z.union([
  action.transform((all): PermissionConfig => ({ "*": all })),
  z.record(z.string(), rulesOfTool),
]);

/** The rules of a configuration, in its order: the last that fits counts. */
export function rulesOf(config: PermissionConfig): PermissionRule[] {
  return Object.entries(config).flatMap(([permission, value]) =>
    Object.entries(typeof value === "string" ? { "*": value } : value).map(([pattern, verdict]) => ({
      permission,
      pattern: pattern.replace(/^(?:~|\$HOME)(?=\/|$)/, homedir()),
      action: verdict,
    })),
  );
}

/** One configuration over another, as OpenCode merges them: a tool keeps its place, and its patterns are put together. */
export function merged(base: PermissionConfig, over: PermissionConfig): PermissionConfig {
  const result = { ...base };
  for (const [tool, value] of Object.entries(over)) {
    const before = result[tool];
    const both = typeof before === "object" && typeof value === "object";
    result[tool] = both ? { ...before, ...value } : value;
  }
  return result;
}

export interface ConfiguredRules {
  rules: PermissionRule[];
  /** Rules of a project that is not trusted, which would have loosened something. */
  leftOut: PermissionRule[];
}

/** Whether two rules can be about the same tool. */
const meet = (one: PermissionRule, other: PermissionRule): boolean =>
  [one.permission, other.permission].some((name) => name.includes("*")) || one.permission === other.permission;

/**
 * The rules for the sessions of a project. A project that is not trusted can make them stricter and never looser: it may deny, and it may have the user asked where
 * the user's own configuration denies nothing.
 */
export function configuredRules(user: PermissionConfig, project: PermissionConfig, trusted: boolean): ConfiguredRules {
  if (trusted) return { rules: rulesOf(merged(user, project)), leftOut: [] };
  const own = rulesOf(user);
  const stricter = (rule: PermissionRule): boolean =>
    rule.action === "deny" || (rule.action === "ask" && !own.some((one) => one.action === "deny" && meet(one, rule)));
  const { kept = [], left = [] } = Object.groupBy(rulesOf(project), (rule) => (stricter(rule) ? "kept" : "left"));
  // Denials come last: a rule of the project that asks must not follow one of its own that denies, and open it again.
  const { deny = [], ask = [] } = Object.groupBy(kept, (rule) => (rule.action === "deny" ? "deny" : "ask"));
  return { rules: [...own, ...ask, ...deny], leftOut: left };
}
