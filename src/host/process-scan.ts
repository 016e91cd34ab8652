import { readdirSync, readFileSync } from "node:fs";
import { type LockLimit, parseLimits } from "./marks/limit-mark.ts";
import { onLinux, type ProcessInfo, parsePs, processInfo, runPs } from "./process-identity.ts";

export const MARK_VARIABLE = "PARLEY_MARK";

export function listProcesses(): ProcessInfo[] {
  if (!onLinux) return runPs(["-ax"]).flatMap((line) => parsePs(line) ?? []);
  return readdirSync("/proc").flatMap((name) => (/^\d/.test(name) ? (processInfo(Number(name)) ?? []) : []));
}

/** The value of a variable in a block of NUL-ended `NAME=value`. */
export function variableOf(environ: string, name: string): string | undefined {
  const block = `\0${environ}`;
  const key = `\0${name}=`;
  const at = block.indexOf(key);
  if (at === -1) return undefined;
  const end = block.indexOf("\0", at + key.length);
  return block.slice(at + key.length, end === -1 ? undefined : end);
}

/** The mark a process was started with, inherited by all it starts. Only Linux tells. */
export function markOf(pid: number): string | undefined {
  if (!onLinux) return undefined;
  try {
    return variableOf(readFileSync(`/proc/${pid}/environ`, "utf8"), MARK_VARIABLE);
  } catch {
    return undefined;
  }
}

/** The limit by which a process is marked. Only Linux tells. */
export function readLimit(pid: number | "self"): LockLimit | undefined {
  if (!onLinux) return undefined;
  try {
    return parseLimits(readFileSync(`/proc/${pid}/limits`, "utf8"));
  } catch {
    return undefined;
  }
}

/** This process and all it descends from: never to be ended, whatever mark they carry. */
export function ownLine(all: readonly ProcessInfo[]): Set<number> {
  const parents = new Map(all.map((info) => [info.pid, info.parent]));
  const line = new Set<number>();
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = parents.get(pid)) line.add(pid);
  return line;
}

/** The given processes and everything that descends from them. */
export function withDescendants(all: readonly ProcessInfo[], seeds: ReadonlySet<number>): ProcessInfo[] {
  const children = Map.groupBy(all, (info) => info.parent);
  const chosen = new Set(seeds);
  const queue = [...seeds];
  for (const pid of queue) {
    for (const child of children.get(pid) ?? []) {
      if (chosen.has(child.pid)) continue;
      chosen.add(child.pid);
      queue.push(child.pid);
    }
  }
  return all.filter((info) => chosen.has(info.pid));
}
