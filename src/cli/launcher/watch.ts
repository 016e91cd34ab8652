import { readFileSync } from "node:fs";
import { isRunning, onLinux, processInfo } from "../../host/process-identity.ts";
import { type Ancestor, launchers } from "./line.ts";
import { underNohup } from "./signals.ts";

/** The system gives no event for the end of a parent. */
const LOOK_MS = 250;
/** npm, its shell, and another npm that runs it. */
const MOST = 8;

function argvOf(pid: number): string[] {
  try {
    if (onLinux) return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return [execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim()];
  } catch {
    return [];
  }
}

function ancestors(): Ancestor[] {
  const found: Ancestor[] = [];
  for (let pid = process.ppid; pid > 0 && found.length < MOST; ) {
    const info = processInfo(pid);
    if (!info) break;
    found.push({ pid, start: info.start, argv: argvOf(pid) });
    pid = info.parent;
  }
  return found;
}

/** Off Linux a look at another process starts a program, so only its number is looked at. */
function runs({ pid, start }: Ancestor): boolean {
  if (onLinux) return isRunning(pid, start);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const ofAnNpm = (): boolean => process.env.npm_execpath !== undefined || process.env.npm_lifecycle_event !== undefined;

/** A process group of our own, as `setsid` gives it, means that we are to outlive the launcher. */
const isDetached = (): boolean => processInfo(process.pid)?.group === process.pid;

let ended: AbortSignal | undefined;

/**
 * Aborted when npm, which runs us, or a shell between is gone: npm passes on some signals and none after its own death,
 * and its shell passes on none. Never aborted for a process that npm did not start,
 * or that somebody detached from it.
 */
export function launcherEnd(): AbortSignal {
  if (ended) return ended;
  const gone = new AbortController();
  ended = gone.signal;
  if (!ofAnNpm() || underNohup() || isDetached()) return ended;
  const { ppid } = process;
  const line = launchers(ancestors());
  if (line.length === 0) return ended;
  const timer = setInterval(() => {
    if (process.ppid === ppid && line.every(runs)) return;
    clearInterval(timer);
    gone.abort();
  }, LOOK_MS);
  timer.unref();
  return ended;
}
