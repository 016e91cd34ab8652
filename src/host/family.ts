import type { Family } from "./end-processes.ts";
import { isOfInstance, numbersIn } from "./marks/limit-mark.ts";
import type { ProcessInfo } from "./process-identity.ts";
import { listProcesses, markOf, ownLine, readLimit, withDescendants } from "./process-scan.ts";

/** A program that Parley started, as leader of its own process group. */
export interface Root {
  pid: number;
  start: string;
  born: number;
  mark: string;
  number: bigint;
}

/** The numbers that a process carries in its limits. */
export function numbersOf(pid: number): bigint[] {
  const limit = readLimit(pid);
  return limit ? numbersIn(limit) : [];
}

/** The running ones of those that pass and of all that descends from them, without this process and its ancestors. */
function living(all: readonly ProcessInfo[], belongs: (info: ProcessInfo) => boolean): ProcessInfo[] {
  const spared = ownLine(all);
  const seeds = all.filter((info) => !spared.has(info.pid) && belongs(info)).map((info) => info.pid);
  return withDescendants(all, new Set(seeds)).filter((info) => !info.zombie && !spared.has(info.pid));
}

/** All that runs because of a program: its group, what carries its mark, and what descends from either. */
export function familyOf(root: Root): Family {
  const all = listProcesses();
  // The number of a group is not given to a new process while the group has members; another process that has the
  // number now means that the group is gone.
  const reused = all.some((info) => info.pid === root.pid && info.start !== root.start);
  const marked = ({ pid }: ProcessInfo): boolean => numbersOf(pid).includes(root.number) || markOf(pid) === root.mark;
  const belongs = (info: ProcessInfo): boolean =>
    (!reused && info.group === root.pid) || (info.born >= root.born && marked(info));
  const members = living(all, belongs);
  return { members, groups: !reused && members.some((info) => info.group === root.pid) ? [root.pid] : [] };
}

/** All that carries a mark of this instance, or is, or descends from, one of the programs it wrote down. */
export function familyOfInstance(instance: string, recorded: readonly { pid: number; start: string }[]): Family {
  const all = listProcesses();
  const leaders = new Set(
    all
      .filter((info) => recorded.some((entry) => entry.pid === info.pid && entry.start === info.start))
      .map((i) => i.pid),
  );
  const marked = ({ pid }: ProcessInfo): boolean =>
    numbersOf(pid).some((number) => isOfInstance(number, instance)) ||
    (markOf(pid)?.startsWith(`${instance}:`) ?? false);
  const belongs = (info: ProcessInfo): boolean => leaders.has(info.group) || leaders.has(info.pid) || marked(info);
  const members = living(all, belongs);
  return { members, groups: [...leaders].filter((pid) => members.some((info) => info.group === pid)) };
}
