import type { PermissionRule } from "../events/values.ts";

/** Whether rules deny something, or have it asked: others bind nothing that the agent would not ask. */
export function isRuled(rules: readonly PermissionRule[]): boolean {
  return rules.some(({ verdict }) => verdict !== "allow");
}
