import { fstatSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { exitCodeOf, STOP_SIGNALS, type StopSignal } from "../../server/lifecycle/lifecycle.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a stream is the file that `nohup` writes to where it is told no other. */
function isNohupFile(descriptor: number, env: Env): boolean {
  try {
    const { dev, ino } = fstatSync(descriptor);
    return [".", env.HOME ?? "."].some((directory) => {
      const file = statSync(join(directory, "nohup.out"), { throwIfNoEntry: false });
      return file !== undefined && file.dev === dev && file.ino === ino;
    });
  } catch {
    return false;
  }
}

/** Node gives every signal its default meaning again, so that `nohup` is known only by its traces. */
export function underNohup(env: Env = process.env): boolean {
  return basename(env._ ?? "") === "nohup" || isNohupFile(1, env) || isNohupFile(2, env);
}

/** The signals that stop us: a hang-up does not where the user said so. */
export function stopSignals(): readonly StopSignal[] {
  return underNohup() ? STOP_SIGNALS.filter((signal) => signal !== "SIGHUP") : STOP_SIGNALS;
}

/** To be called first: until a command listens itself, nohup's wish holds, and so do signals to the first process. */
export function takeSignals(): void {
  if (underNohup()) process.on("SIGHUP", () => {});
  // A container's first process takes no signal that it does not listen to.
  if (process.pid !== 1) return;
  for (const signal of stopSignals()) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(exitCodeOf(signal));
    });
  }
}
