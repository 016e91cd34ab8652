import { readFileSync } from "node:fs";

/** The facts that the system gives of one process. */
export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  /** With the pid, names one process for ever: pids are used again. Compare only, never read. */
  start: string;
  /** Start time as a number, to tell which of two running processes is older. */
  born: number;
  zombie: boolean;
}

export const onLinux = process.platform === "linux";

let boot: string | undefined;

/** Ticks count from boot, and pids after a reboot come in much the same order. */
function bootId(): string {
  try {
    boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8);
  } catch {
    // Some sandboxes hide it; pid and ticks must do then.
    boot = "";
  }
  return boot;
}

/** A thread of the kernel's, among the flags of a process: half of what a small machine lists, and nothing that anybody started. */
const KERNELS = 0x0020_0000;

/** Reads a line of /proc/<pid>/stat. The command's name may itself hold spaces and parentheses. Undefined for a thread of the kernel's. */
export function parseStat(text: string, bootOf: string): ProcessInfo | undefined {
  const close = text.lastIndexOf(")");
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(close + 2).split(" ");
  const [state, parent, group] = fields;
  const ticks = fields[19];
  if (close === -1 || !Number.isInteger(pid) || !state || !ticks || Number(fields[6]) & KERNELS) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    start: `${bootOf}:${ticks}`,
    born: Number(ticks),
    zombie: state === "Z" || state === "X",
  };
}

const PS_FIELDS = ["-o", "pid=,ppid=,pgid=,stat=,lstart="] as const;

/** Reads a line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export function parsePs(line: string): ProcessInfo | undefined {
  const [pid, parent, group, state, ...lstart] = line.trim().split(/\s+/);
  if (!pid || !state || lstart.length === 0) return undefined;
  const start = lstart.join(" ");
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    start,
    born: Date.parse(start),
    zombie: state.startsWith("Z"),
  };
}

/** Lines of `ps`, for systems without /proc; none when it found no process, which it says by its exit code. */
export function runPs(selection: readonly string[]): string[] {
  try {
    const env = { ...process.env, LC_ALL: "C" };
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("ps", [...selection, ...PS_FIELDS], { encoding: "utf8", env, stdio: "pipe" }).split("\n");
  } catch {
    return [];
  }
}

export function processInfo(pid: number): ProcessInfo | undefined {
  if (!onLinux) return parsePs(runPs(["-p", String(pid)])[0] ?? "");
  try {
    // Node reads a file of this coding, and of no other, in one go. A name that is not in it is only skipped.
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"), bootId());
  } catch {
    return undefined;
  }
}

/** When a process started, in words that only make sense to compare; undefined when there is no such process. */
export function startTime(pid: number): string | undefined {
  return processInfo(pid)?.start;
}

/** Whether this very process still runs; one that only waits for its parent to notice its end does not. */
export function isRunning(pid: number, start: string): boolean {
  const info = processInfo(pid);
  return info !== undefined && info.start === start && !info.zombie;
}
