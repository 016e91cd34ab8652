/** What happened in a turn without the agent, which is told of it with its next prompt. */
export interface Untold {
  turn: string;
  text: string;
}

const KEPT = 8;
const LEFT_OUT = "(earlier commands are left out here)\n";

/** The newest few: an agent is not flooded with what happened long before it was asked. */
export function addUntold(before: readonly Untold[], more: Untold): Untold[] {
  const all = [...before, more];
  if (all.length <= KEPT) return all;
  return all
    .slice(-KEPT)
    .map(({ turn, text }, at) => ({ turn, text: at > 0 || text.startsWith(LEFT_OUT) ? text : LEFT_OUT + text }));
}
