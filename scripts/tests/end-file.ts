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

/** Ends processes with all that descends from them. The answer is a line for each. */
function end(seeds: readonly ProcessInfo[], all: readonly ProcessInfo[]): string[] {
  return withDescendants(all, new Set(seeds.map(({ pid }) => pid))).map(({ pid }) => {
    const words = read(pid, "cmdline").split("\0");
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
    return `${pid} ${words
      .filter((word) => !word.startsWith("--"))
      .join(" ")
      .trim()
      .slice(0, 200)}`;
  });
}

const living = (): ProcessInfo[] => listProcesses().filter(({ zombie }) => !zombie);

/** Ends the process of a test file. */
export function endFile(file: string): string[] {
  const all = living();
  const own = all.filter(({ pid, parent }) => parent === process.pid && read(pid, "cmdline").includes(file));
  return end(own, all);
}

/** Ends what this run has left without a parent: it may hold the output of a file open whose process is gone. */
export function endOrphans(): string[] {
  const run = process.env[RUN_VARIABLE];
  const all = living();
  const left = all.filter(({ pid, parent }) => parent === 1 && variableOf(read(pid, "environ"), RUN_VARIABLE) === run);
  return run === undefined ? [] : end(left, all);
}
