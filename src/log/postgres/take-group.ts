import type { Append } from "../plan-append.ts";

/** Events in one statement, about. */
const MAX_EVENTS = 1000;
/** The same in characters. */
const MAX_WEIGHT = 2 * 1024 * 1024;
/** An append of more characters is made into JSON one turn of the event loop before it is sent. */
const HEAVY = 1024 * 1024;

/** An append that waits. */
export interface Waiting extends Append {
  /** Its characters, about. */
  weight: number;
}

/** Whether an append must be made into JSON first. */
export function isUnwritten({ weight, texts }: Waiting): boolean {
  return weight >= HEAVY && texts === undefined;
}

/** The first append of each session, as many as one statement takes; the others wait on, in their order. */
export function takeGroup<W extends Waiting>(queue: readonly W[]): { group: W[]; left: W[] } {
  const group = new Map<string, W>();
  const left: W[] = [];
  /** Sessions whose next append comes later: those after it must not overtake it. */
  const passed = new Set<string>();
  let [events, weight, full] = [0, 0, false];
  for (const waiting of queue) {
    const { session } = waiting.right;
    if (full || group.has(session) || passed.has(session) || (group.size > 0 && isUnwritten(waiting))) {
      passed.add(session);
      left.push(waiting);
      continue;
    }
    group.set(session, waiting);
    events += waiting.entries.length;
    weight += waiting.weight;
    full = events >= MAX_EVENTS || weight >= MAX_WEIGHT;
  }
  return { group: [...group.values()], left };
}
