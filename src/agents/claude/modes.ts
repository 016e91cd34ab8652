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
export const PLAN = "plan";
export const DONT_ASK = "dontAsk";

/**
 * Whether only a new process can have a mode. One that may go without permissions does so in the mode `plan`, too, and one that
 * may not cannot be allowed to.
 */
export function needsNewProcess(mode: string, mayBypass: boolean): boolean {
  return (mode === BYPASS) !== mayBypass;
}

/** The more a mode lets happen without a question, the more it is; of two that ask alike neither is. */
const LAXITY: Readonly<Record<string, number>> = {
  plan: 0,
  default: 0,
  dontAsk: 0,
  acceptEdits: 1,
  auto: 2,
  [BYPASS]: 3,
};

export function isLaxer(mode: string, than: string): boolean {
  return (LAXITY[mode] ?? 0) > (LAXITY[than] ?? 0);
}

export const BYPASS_ADVICE =
  "Claude Code refuses the mode bypassPermissions as root: run Parley as another user, or set IS_SANDBOX=1 if this machine is a sandbox";
