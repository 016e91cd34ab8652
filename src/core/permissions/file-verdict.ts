import type { PermissionRule } from "../events/values.ts";
import { matches, mightMatch } from "./glob.ts";
import { ruledPattern } from "./paths.ts";

/** The verdict of the last rule that fits a file, by any of its names; `doubt` where a rule might, undefined where none does. */
export function fileVerdict(
  rules: readonly PermissionRule[],
  names: readonly string[],
): PermissionRule["verdict"] | "doubt" | undefined {
  let doubt = false;
  for (const { pattern, verdict } of rules.toReversed()) {
    const path = ruledPattern(pattern);
    if (names.some((name) => matches(path, name))) return doubt && verdict !== "deny" ? "doubt" : verdict;
    if (verdict !== "allow" && names.some((name) => mightMatch(path, name))) doubt = true;
  }
  return doubt ? "doubt" : undefined;
}
