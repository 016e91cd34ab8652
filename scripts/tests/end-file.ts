import { readFileSync } from "node:fs";
import type { ProcessInfo } from "../../src/host/process-identity.ts";
import { listProcesses, variableOf, withDescendants } from "../../src/host/process-scan.ts";

/** Set for all that a run of tests starts, so that what has lost its parent is still known as part of the run. */
export const RUN_VARIABLE = "PARLEY_TEST_RUN";

function read(pid: number, name: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function isOrphanOf(run: string, { pid, parent }: ProcessInfo): boolean {
  return parent === 1 && variableOf(read(pid, "environ"), RUN_VARIABLE) === run;
}

/**
 * Ends the process of a test file with all that descends from it. Where that process is gone, what the run has left
 * without a parent holds its output open, and is ended. The answer is a line for each process.
 */
export function endFile(file: string): string[] {
  const run = process.env[RUN_VARIABLE] ?? "";
  const all = listProcesses().filter(({ zombie }) => !zombie);
  const own = all.filter(({ pid, parent }) => parent === process.pid && read(pid, "cmdline").includes(file));
  const seeds = own.length > 0 || run === "" ? own : all.filter((info) => isOrphanOf(run, info));
  const family = withDescendants(all, new Set(seeds.map(({ pid }) => pid)));
  return family.map(({ pid }) => {
    const command = read(pid, "cmdline")
      .split("\0")
      .filter((part) => !part.startsWith("--"))
      .join(" ")
      .trim();
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
    return `${pid} ${command.slice(0, 200)}`;
  });
}
