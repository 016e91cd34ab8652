import type { CommandHost, SpawnSpec } from "./contract.ts";
import { OutputLimit } from "./output-limit.ts";

/** How long a command has between TERM and KILL: it must be gone when the turn it belonged to ends. */
const GRACE_MS = 150;
const STREAMED_CHARS = 256_000;
const MAX_CHARS = 16_000_000;

export interface RunOptions {
  host: CommandHost;
  spec: SpawnSpec;
  signal: AbortSignal;
  /** Absent: it may take as long as it likes. */
  limitMs?: number;
  output?(delta: string): void;
}

export interface Ran {
  text: string;
  code: number | null;
  /** Why it was ended before its time. */
  stopped?: "time" | "output" | "aborted";
}

/** Runs a command to its end, to its limits, or until it is given up; then nothing of it runs any more. */
export async function runToEnd({ host, spec, signal, limitMs, output }: RunOptions): Promise<Ran> {
  signal.throwIfAborted();
  const kept = new OutputLimit();
  let stopped: Ran["stopped"];
  let ending: Promise<void> | undefined;
  const stop = (why: NonNullable<Ran["stopped"]>): void => {
    stopped ??= why;
    ending ??= command.kill(GRACE_MS);
  };
  const command = host.run(spec, {
    output(text) {
      if (kept.length < STREAMED_CHARS) output?.(text);
      kept.add(text);
      if (kept.length > MAX_CHARS) stop("output");
    },
  });
  const timer = limitMs === undefined ? undefined : setTimeout(() => stop("time"), limitMs);
  const abort = (): void => stop("aborted");
  signal.addEventListener("abort", abort);
  try {
    const { code } = await command.exited;
    await ending;
    return { text: kept.text(), code, ...(stopped ? { stopped } : {}) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
