import { present } from "../core/json/fields.ts";
import type { CommandHost, CommandSpec } from "./contract.ts";

/** How long a command has between TERM and KILL: it must be gone when what it was run for ends. */
const GRACE_MS = 150;

export interface RunOptions {
  host: CommandHost;
  spec: CommandSpec;
  signal?: AbortSignal;
  /** Absent: it may take as long as it likes. */
  limitMs?: number;
  /** It is ended when it has written more than so many characters. */
  maxChars: number;
  output(delta: string): void;
}

export interface Ran {
  code: number | null;
  /** Why it was ended before its time. */
  stopped?: "time" | "output" | "aborted";
  /** The signal that ended it, where that was somebody else's. */
  signal?: string;
}

/** Runs a command to its end, to its limits, or until it is given up; then nothing of it runs any more. */
export async function runToEnd({ host, spec, signal, limitMs, maxChars, output }: RunOptions): Promise<Ran> {
  signal?.throwIfAborted();
  let length = 0;
  let stopped: Ran["stopped"];
  let ending: Promise<void> | undefined;
  const stop = (why: NonNullable<Ran["stopped"]>): void => {
    stopped ??= why;
    ending ??= command.kill(GRACE_MS);
  };
  const command = host.run(spec, {
    output(text) {
      length += text.length;
      output(text);
      if (length > maxChars) stop("output");
    },
  });
  const timer = limitMs === undefined ? undefined : setTimeout(() => stop("time"), limitMs);
  const abort = (): void => stop("aborted");
  signal?.addEventListener("abort", abort);
  try {
    const { code, signal: by } = await command.exited;
    await ending;
    return present({ code, stopped, signal: stopped ? undefined : (by ?? undefined) });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

export interface Captured extends Ran {
  /** Its output, up to the limit. */
  text: string;
}

/** Runs a command for what it writes. */
export async function capture(options: Omit<RunOptions, "output">): Promise<Captured> {
  const pieces: string[] = [];
  const ended = await runToEnd({ ...options, output: (text) => void pieces.push(text) });
  return { text: pieces.join("").slice(0, options.maxChars), ...ended };
}
