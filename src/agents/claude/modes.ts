import type { AgentMode } from "../contract.ts";

/** Its permission modes. The program has no call that lists them. */
export const MODES: AgentMode[] = [
  {
    id: "default",
    name: "Default",
    description: "asks before it changes files or runs commands that change something",
  },
  { id: "acceptEdits", name: "Accept edits", description: "changes files in the directory without asking" },
  { id: "plan", name: "Plan", description: "looks and plans, changes nothing until the plan is approved" },
  { id: "dontAsk", name: "Don't ask", description: "never asks: what would need a permission is refused" },
  { id: "auto", name: "Auto", description: "a model decides what may be done without asking" },
  {
    id: "bypassPermissions",
    name: "Bypass permissions",
    description: "asks for nothing; not as root, unless IS_SANDBOX=1",
  },
];

export const BYPASS = "bypassPermissions";

/** The program refuses to go without permissions as root, unless it is told that the machine is a sandbox. */
export function mayBypass(env: Readonly<Record<string, string | undefined>>, uid = process.getuid?.()): boolean {
  return uid !== 0 || env.IS_SANDBOX === "1";
}

export const BYPASS_ADVICE =
  "Claude Code refuses the mode bypassPermissions as root: run Parley as another user, or set IS_SANDBOX=1 if this machine is a sandbox";
