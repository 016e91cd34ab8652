import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { listProcesses, withDescendants } from "../../src/host/process-scan.ts";

const MB = 1024 * 1024;

/** Resident memory of a process in megabytes. */
export function residentMb(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (found === undefined) throw new Error(`expected VmRSS in /proc/${pid}/status, got none`);
  return (Number(found) * 1024) / MB;
}

/** Resident memory of a process and of all that it started. Pages that they share are counted for each. */
export function familyMb(pid: number): number {
  const all = withDescendants(listProcesses(), new Set([pid])).filter(({ zombie }) => !zombie);
  return all.reduce((sum, one) => sum + residentMb(one.pid), 0);
}

/** Hundredths of a second that a process has worked for, all its threads together. */
export function workOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Behind the name of the program, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** A directory that is gone when the caller's scope ends. */
export async function tempDirectory(scope: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "parley-bench-"));
  scope.defer(() => rm(path, { recursive: true, force: true }));
  return path;
}

let cache: string | undefined;

/** One directory for compiled code for the whole run, as a machine that has started Parley before has one. */
export function warmCache(): string {
  if (cache !== undefined) return cache;
  const path = mkdtempSync(join(tmpdir(), "parley-bench-cache-"));
  process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  cache = path;
  return path;
}

export function describeMachine(): string {
  const model = cpus()[0]?.model ?? "unknown processor";
  const memory = Math.round(totalmem() / MB / 1024);
  return `${availableParallelism()} cores (${model}), ${memory} GB, Node ${process.version}, ${process.platform}`;
}

export function load(): string {
  return loadavg()
    .map((value) => value.toFixed(2))
    .join(" ");
}

/** Processes that wanted to run, on average over the last minute. */
export function loadOfMinute(): number {
  return loadavg()[0] ?? 0;
}
