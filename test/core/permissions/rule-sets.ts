import type { PermissionRule } from "../../../src/core/events/values.ts";
import { lineVerdict, type Verdict } from "../../../src/core/permissions/command-verdict.ts";

export function rules(action: string, verdict: Verdict, ...patterns: string[]): PermissionRule[] {
  return patterns.map((pattern) => ({ action, pattern, verdict }));
}

/** Rules that somebody who works with an agent every day might write. */
export const SENSIBLE: PermissionRule[] = [
  ...rules(
    "bash",
    "allow",
    "git status *",
    "git diff *",
    "git log *",
    "git show *",
    "git add *",
    "git commit *",
    "git branch *",
  ),
  ...rules(
    "bash",
    "allow",
    "npm test *",
    "npm run build *",
    "npm run lint *",
    "npm run deploy *",
    "npx tsc *",
    "node *",
  ),
  ...rules(
    "bash",
    "allow",
    "ls *",
    "cat *",
    "grep *",
    "rg *",
    "head *",
    "tail *",
    "wc *",
    "sort *",
    "uniq *",
    "echo *",
    "cd *",
  ),
  ...rules(
    "bash",
    "allow",
    "find *",
    "sed *",
    "awk *",
    "jq *",
    "diff *",
    "mkdir *",
    "xargs *",
    "timeout *",
    "[ *",
    "test *",
  ),
  ...rules(
    "bash",
    "allow",
    "pwd",
    "true",
    "which *",
    "cargo test *",
    "command *",
    "printf *",
    "sleep *",
    "bash *",
    "env *",
  ),
  ...rules("bash", "deny", "rm *", "touch *", "git push *", "npm run deploy prod*"),
  ...rules("edit", "allow", "build/*", "*.log"),
  ...rules("edit", "deny", ".env"),
];

export const DIRECTORY = "/project";

export function verdictOf(set: readonly PermissionRule[], line: string): Verdict {
  return lineVerdict(set, { action: "bash", line, directory: DIRECTORY });
}
