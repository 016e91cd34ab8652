import type { Append, Commit, NodeChange, Owning, Violation } from "../records.ts";

const bySession = <T extends { session: string }>(list: readonly T[]): Map<string, T[]> =>
  Map.groupBy(list, ({ session }) => session);

/** Epochs never fall along the numbers of a session, and each append lies in the order once, as it came. */
export function checkEpochs(commits: readonly Commit[], unordered: number): Violation[] {
  const violations: Violation[] = [];
  if (unordered > 0) violations.push({ rule: "ordered", message: `${unordered} appends have no position` });
  for (const [session, list] of bySession(commits)) {
    list.sort((a, b) => a.position - b.position);
    for (const [index, { from, to, epoch, position }] of list.entries()) {
      const before = list[index - 1];
      if (!before) continue;
      const what = `${session}: ${from} to ${to} (epoch ${epoch}, position ${position})`;
      if (epoch < before.epoch)
        violations.push({ rule: "epochs-grow", message: `${what} follows one of epoch ${before.epoch}` });
      if (from <= before.to)
        violations.push({ rule: "ordered", message: `${what} follows ${before.from} to ${before.to}` });
    }
  }
  return violations;
}

/** The numbers of an epoch come before the next epoch is taken: an append that holds its owner's row makes the next taker wait. */
export function checkStale(appends: readonly Append[], ownings: readonly Owning[]): Violation[] {
  const taken = new Map(ownings.filter(({ released }) => !released).map((one) => [`${one.session}@${one.epoch}`, one]));
  return appends.flatMap(({ session, epoch, from, to, by, at }) => {
    const next = taken.get(`${session}@${epoch + 1}`);
    if (!next || at <= next.at) return [];
    const message = `${by} appended ${from} to ${to} to ${session}@${epoch}, after ${next.by} had taken epoch ${next.epoch}`;
    return [{ rule: "stale-append", message }];
  });
}

/** Each epoch is one node's: whoever took it is the only one that appends with it. */
export function checkWriters(appends: readonly Append[], ownings: readonly Owning[]): Violation[] {
  const violations: Violation[] = [];
  const takers = new Map<string, { node: number; by: string }>();
  for (const { session, epoch, node, by, released } of ownings) {
    const key = `${session}@${epoch}`;
    const taker = takers.get(key);
    if (!taker) takers.set(key, { node, by });
    else if (taker.node !== node || (!released && taker.by !== by))
      violations.push({ rule: "one-writer", message: `${key} was taken by ${taker.by} and by ${by}` });
  }
  for (const { session, epoch, by, from, to } of appends) {
    const taker = takers.get(`${session}@${epoch}`);
    if (taker?.by !== by)
      violations.push({
        rule: "one-writer",
        message: `${by} appended ${from} to ${to} to ${session}@${epoch}, which ${taker?.by ?? "nobody"} holds`,
      });
  }
  return violations;
}

/** A session is taken only when it is free: given back, or left by a node that is dead. */
export function checkTakes(ownings: readonly Owning[], nodes: readonly NodeChange[]): Violation[] {
  const deaths = new Map(nodes.filter(({ dead }) => dead).map(({ node, at }) => [node, at]));
  return [...bySession(ownings)].flatMap(([session, list]) => {
    list.sort((a, b) => a.epoch - b.epoch || Number(a.released) - Number(b.released));
    return list.flatMap((owning, index) => {
      const before = list[index - 1];
      if (!before || before.released || before.node === owning.node) return [];
      const died = deaths.get(before.node);
      if (died !== undefined && died <= owning.at) return [];
      const message = `${session}: ${owning.by} took epoch ${owning.epoch} from node ${before.node}, which was not dead`;
      return [{ rule: "taken-free", message }];
    });
  });
}

/**
 * A node is declared dead by itself, by the next start on its directory (which has its name), or by one whose own lease was
 * unbroken before; and never before its own lease is over. Answers are late on a busy machine, and the database sees a renewal
 * later than its sender: so half a lease is looked at, and half a lease without one counts.
 */
export function checkDeaths(changes: readonly NodeChange[], leaseMs: number): Violation[] {
  return changes.flatMap((change, index) => {
    if (!change.dead || change.by === change.name) return [];
    const before = changes.slice(0, index);
    if (before.some(({ node, dead }) => dead && node === change.node)) return [];
    const what = `${change.by} declared node ${change.node} (${change.name}) dead`;
    const left = change.leaseUntil - change.at;
    if (left > 0) return [{ rule: "death", message: `${what} ${Math.round(left)} ms before its lease was over` }];
    const own = before.filter(({ name, by }) => name === change.by && by === change.by);
    const overMs = longestGap(own, change.at - leaseMs / 2, change.at);
    if (overMs < leaseMs / 2) return [];
    return [{ rule: "death", message: `${what} although its own lease had been over for ${Math.round(overMs)} ms` }];
  });
}

/** The longest time without a lease that reaches into a time. */
function longestGap(own: readonly NodeChange[], from: number, to: number): number {
  let [until, longest] = [Number.NEGATIVE_INFINITY, 0];
  for (const { at, leaseUntil } of own) {
    if (at > from) longest = Math.max(longest, at - until);
    until = leaseUntil;
  }
  return Math.max(longest, to - until);
}
