/** A shell turn that the agent has not been told of yet: its next prompt says so. */
export interface Untold {
  turn: string;
  text: string;
}

const KEPT = 8;
const LEFT_OUT = "(earlier commands are left out here)\n";

/** The list with one more entry. Only the newest few are kept, so that the next prompt stays short. */
export function addUntold(before: readonly Untold[], more: Untold): Untold[] {
  const all = [...before, more];
  if (all.length <= KEPT) return all;
  return all
    .slice(-KEPT)
    .map(({ turn, text }, at) => ({ turn, text: at > 0 || text.startsWith(LEFT_OUT) ? text : LEFT_OUT + text }));
}
