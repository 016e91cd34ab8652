import type { PermissionRule } from "../../core/events/values.ts";
import { type Fields, isFields, textIn } from "../../core/json/fields.ts";
import { matches } from "../../core/permissions/glob.ts";

/** A rule of the program's. The last one that fits counts, and what none fits is asked. */
export interface NativeRule {
  permission: string;
  pattern: string;
  action: "allow" | "ask" | "deny";
}

export function rulesIn(value: unknown): NativeRule[] {
  const told = Array.isArray(value) ? value.filter(isFields) : [];
  return told.flatMap(({ permission, pattern, action }) =>
    typeof permission === "string" && typeof pattern === "string" && isAction(action)
      ? [{ permission, pattern, action }]
      : [],
  );
}

function isAction(value: unknown): value is NativeRule["action"] {
  return value === "allow" || value === "ask" || value === "deny";
}

/** The program's own verdict on a request. */
export function nativeVerdict(rules: readonly NativeRule[], request: Fields): NativeRule["action"] {
  const permission = textIn(request, "permission") ?? "";
  const patterns = Array.isArray(request.patterns) ? request.patterns.filter((one) => typeof one === "string") : [];
  const verdicts = patterns.map(
    (pattern) =>
      rules.findLast((rule) => matches(rule.permission, permission) && matches(rule.pattern, pattern))?.action ?? "ask",
  );
  if (verdicts.includes("deny")) return "deny";
  return verdicts.includes("ask") ? "ask" : "allow";
}

/**
 * The rules of an agent so that the program asks for all that it would allow by itself: Parley's rules are held against it then. Sub-agents do not get these
 * rules, so there are none.
 */
export function askingRules(rules: readonly NativeRule[]): NativeRule[] {
  const asking = rules.map((rule): NativeRule => (rule.action === "allow" ? { ...rule, action: "ask" } : rule));
  return [...asking, { permission: "task", pattern: "*", action: "deny" }];
}

/** The names under which the program asks for its own tools. */
const PERMISSIONS = [
  "bash",
  "edit",
  "read",
  "glob",
  "grep",
  "list",
  "webfetch",
  "websearch",
  "task",
  "todowrite",
  "skill",
  "question",
  "plan_enter",
  "plan_exit",
];

/** Rules of an agent as rules for one permission alone. */
export function rulesFor(permission: string, rules: readonly NativeRule[]): NativeRule[] {
  return rules.filter((rule) => matches(rule.permission, permission)).map((rule) => ({ ...rule, permission }));
}

const OUTSIDE = "external_directory";

/** The program asks for directories outside of the session's where a rule is about these: commands name them in ways that it alone can read. */
export function outsideAsks(rules: readonly PermissionRule[]): NativeRule[] {
  const isAbout = rules.some(({ action, verdict }) => verdict !== "allow" && matches(action, OUTSIDE));
  return isAbout ? [{ permission: OUTSIDE, pattern: "*", action: "ask" }] : [];
}

/** Tools that the session's rules deny altogether: the program does not offer these to the model, nor to sub-agents. */
export function deniedTools(rules: readonly PermissionRule[]): NativeRule[] {
  const named = rules.map(({ action }) => action).filter((action) => !/[*?]/.test(action) && action !== OUTSIDE);
  return [...new Set([...PERMISSIONS, ...named])]
    .filter((permission) => {
      const last = rules.findLast(({ action }) => matches(action, permission));
      return last?.verdict === "deny" && last.pattern === "*";
    })
    .map((permission) => ({ permission, pattern: "*", action: "deny" }));
}

/** Rules about files are held against the redirections of commands, too, which the program's own rules are not. */
const FILES: ReadonlySet<string> = new Set(["edit", "read", "write", "list"]);

/** Whether rules are about more than tools that the program does not offer at all by its own rules. */
export function needsGate(rules: readonly PermissionRule[]): boolean {
  const denied = new Set(deniedTools(rules).map(({ permission }) => permission));
  return rules.some(({ action, verdict }) => verdict !== "allow" && (FILES.has(action) || !denied.has(action)));
}
