import { messageOf } from "../../../core/errors.ts";
import type { Failure, FileChange } from "../../../core/events/values.ts";
import { within } from "../../../core/within.ts";
import { FileRefused } from "../../../host/files/file-refused.ts";
import { ToolFailure } from "./tool-failure.ts";

/** How a tool call went. `output` is what the model gets to see. */
export interface Outcome {
  ok: boolean;
  output: string;
  error?: Failure;
  files?: FileChange[];
  metadata?: Record<string, unknown>;
}

interface Deferred {
  promise: Promise<void>;
  resolve(): void;
  started: boolean;
  stop: AbortController;
}

export function aborted(why: string, code = "aborted"): Outcome {
  return { ok: false, output: why, error: { code, message: why } };
}

function failed(error: unknown): Outcome {
  const message = messageOf(error);
  const code = error instanceof ToolFailure || error instanceof FileRefused ? error.code : "tool_failed";
  return { ok: false, output: message, error: { code, message } };
}

/**
 * Joins two timelines: the model's stream, which goes on, and the tools it calls, which take their time. Each call has a
 * deferred from the first sign of it, and each deferred is settled once, whatever becomes of its tool.
 */
export class Deferreds {
  readonly #open = new Map<string, Deferred>();
  readonly #outcomes = new Map<string, Outcome>();
  readonly #settled: (call: string, outcome: Outcome) => void;

  constructor(settled: (call: string, outcome: Outcome) => void) {
    this.#settled = settled;
  }

  /** The first sign of a call: from here on the next step waits for it. */
  see(call: string): void {
    if (this.#open.has(call) || this.#outcomes.has(call)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.set(call, { promise, resolve, started: false, stop: new AbortController() });
  }

  /** Starts the tool now, beside the stream and beside the others. */
  run(call: string, work: (signal: AbortSignal) => Promise<Outcome>): void {
    this.see(call);
    const deferred = this.#open.get(call);
    if (!deferred || deferred.started) return;
    deferred.started = true;
    void this.#execute(call, work, deferred.stop.signal);
  }

  async #execute(call: string, work: (signal: AbortSignal) => Promise<Outcome>, signal: AbortSignal): Promise<void> {
    let outcome = aborted("the tool gave no result");
    try {
      outcome = await work(signal);
    } catch (error) {
      outcome = signal.aborted ? aborted("aborted") : failed(error);
    } finally {
      this.settle(call, outcome);
    }
  }

  /** The first outcome counts; what a tool says after it was given up changes nothing. */
  settle(call: string, outcome: Outcome): void {
    const deferred = this.#open.get(call);
    if (!deferred) return;
    this.#open.delete(call);
    this.#outcomes.set(call, outcome);
    this.#settled(call, outcome);
    deferred.resolve();
  }

  outcome(call: string): Outcome | undefined {
    return this.#outcomes.get(call);
  }

  /** The stream is over: calls that were begun and never completed will not come any more. */
  giveUpUnstarted(why: string, code?: string): void {
    for (const [call, { started }] of [...this.#open]) if (!started) this.settle(call, aborted(why, code));
  }

  /** Resolves when every call is settled, however long that takes. */
  async all(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ promise }) => promise));
  }

  /** Stops what is open and waits for all of it together, at most so long; what is left then is aborted. Never throws. */
  async drain(ms: number, why: string): Promise<void> {
    if (this.#open.size === 0) return;
    this.giveUpUnstarted(why);
    for (const { stop } of this.#open.values()) stop.abort();
    await within(this.all(), ms);
    for (const call of [...this.#open.keys()]) this.settle(call, aborted(why));
  }
}
