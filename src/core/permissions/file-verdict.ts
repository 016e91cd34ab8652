import type { PermissionRule } from "../events/values.ts";
import { HOLE, matches, mightMatch } from "./glob.ts";
import { ruledPattern } from "./paths.ts";

/** Whether a path that is not known in full may be one that the pattern fits. It may begin anywhere, also above the directory that a pattern begins in. */
function mightBe(pattern: string, name: string): boolean {
  if (!name.includes(HOLE)) return false;
  return mightMatch(pattern, name) || (!pattern.startsWith("/") && mightMatch(`*/${pattern}`, name));
}

/** The verdict of the last rule that fits a file, by any of its names; `doubt` where a rule might, undefined where none does. */
export function fileVerdict(
  rules: readonly PermissionRule[],
  names: readonly string[],
): PermissionRule["verdict"] | "doubt" | undefined {
  let doubt = false;
  for (const { pattern, verdict } of rules.toReversed()) {
    const path = ruledPattern(pattern);
    if (names.some((name) => matches(path, name))) return doubt && verdict !== "deny" ? "doubt" : verdict;
    if (verdict !== "allow" && names.some((name) => mightBe(path, name))) doubt = true;
  }
  return doubt ? "doubt" : undefined;
}
