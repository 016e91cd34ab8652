import { present } from "../core/json/fields.ts";
import { endProcesses, type Family, signalFamily } from "./end-processes.ts";
import { familyOfInstance, numbersOf } from "./family.ts";
import type { ProcessInfo } from "./process-identity.ts";
import { listProcesses, markOf, withDescendants } from "./process-scan.ts";
import { createProcessTable, type ProcessEntry } from "./process-table.ts";

/** A process that Parley started, or that something it started did, and that nobody looks after any more. */
export interface Stray {
  pid: number;
  /** The session it served, where that is known. */
  session?: string;
  argv?: readonly string[];
}

export interface ReaperOptions {
  runDirectory: string;
  /** The same id that the process host of this data directory marks its programs with. */
  instance: string;
}

export interface ReapReport {
  ended: Stray[];
  /** Processes that even KILL did not end. */
  left: Stray[];
  /** Entries of the process table that were cleared. */
  cleared: number;
}

const GRACE_MS = 2000;

function sessionByNumber(pid: number, entries: readonly ProcessEntry[]): string | undefined {
  const numbers = numbersOf(pid).map(String);
  return entries.find(({ number }) => number !== undefined && numbers.includes(number))?.session;
}

function describe(info: ProcessInfo, entries: readonly ProcessEntry[]): Stray {
  const entry = entries.find((one) => one.pid === info.pid && one.start === info.start);
  const session = entry?.session ?? markOf(info.pid)?.split(":")[1] ?? sessionByNumber(info.pid, entries);
  return present({ pid: info.pid, session: session || undefined, argv: entry?.argv });
}

/** Processes that run without an owner. `owner` is the pid of the server that now runs on the data directory, if one does. */
export function listStrays(options: ReaperOptions & { owner?: number }): Stray[] {
  const entries = createProcessTable(options.runDirectory).list();
  const family = familyOfInstance(options.instance, entries);
  const looked = options.owner ? withDescendants(listProcesses(), new Set([options.owner])) : [];
  const owned = new Set(looked.map((info) => info.pid));
  return family.members.filter((info) => !owned.has(info.pid)).map((info) => describe(info, entries));
}

/**
 * Ends what an earlier crash left behind. Call it before the first program is started and while the data directory's
 * lock is held: every program of this instance that runs now is taken for a stray.
 */
export async function reap(options: ReaperOptions & { graceMs?: number }): Promise<ReapReport> {
  const table = createProcessTable(options.runDirectory);
  const entries = table.list();
  const seen = new Map<number, Stray>();
  const look = (): Family => {
    const family = familyOfInstance(options.instance, entries);
    for (const info of family.members) {
      if (!seen.has(info.pid)) seen.set(info.pid, describe(info, entries));
    }
    return family;
  };
  const left = (await endProcesses(look, options.graceMs ?? GRACE_MS)).map((info) => describe(info, entries));
  const survivors = new Set(left.map((stray) => stray.pid));
  return { ended: [...seen.values()].filter((stray) => !survivors.has(stray.pid)), left, cleared: table.clear() };
}

/** KILL to everything of this instance, without waiting: for a process that is about to exit itself. */
export function killNow(options: ReaperOptions): void {
  signalFamily(familyOfInstance(options.instance, createProcessTable(options.runDirectory).list()), "SIGKILL");
}

/** KILL to everything of this instance. Resolves when all of it is gone, in bounded time. */
export async function killAll(options: ReaperOptions): Promise<void> {
  await endProcesses(() => familyOfInstance(options.instance, createProcessTable(options.runDirectory).list()), 0);
}

/** Stops all programs of this instance where they are, or has them go on. */
export function freezeNow(options: ReaperOptions, frozen: boolean): void {
  const family = familyOfInstance(options.instance, createProcessTable(options.runDirectory).list());
  signalFamily(family, frozen ? "SIGSTOP" : "SIGCONT");
}
