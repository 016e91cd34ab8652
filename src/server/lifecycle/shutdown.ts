import type { Logger } from "../../core/logger.ts";
import { type LifeEvent, nextMove, type Phase, STOP_SIGNALS, type StopSignal } from "./lifecycle.ts";

export const DRAIN_MS = 10_000;

/** The time for open requests once the agents are closed. */
const LAST_REQUESTS_MS = 1_000;

/** The time for the last lines of the log, whose reader may be stuck. */
const LAST_LINES_MS = 250;

export interface ShutdownOptions {
  listener: { stopAccepting(): void; close(graceMs: number): Promise<void> };
  /** Cuts every event stream: a stream that ended cleanly would tell its client not to come back. */
  cutStreams(): void;
  /** Run together once no new request comes in: agents are closed, the log is written out. */
  onDrain: readonly (() => Promise<void>)[];
  /** Ends, at once, every agent that is still there. Nothing may be left behind, however we leave. */
  abandon(): void;
  log: Logger;
  /** Writes out what the log still holds. */
  flush(): Promise<void>;
  drainMs?: number;
  /** Those that stop it. */
  signals?: readonly StopSignal[];
  /** Aborted when the program that runs this one is gone. */
  launcherEnd?: AbortSignal;
}

async function drain(options: ShutdownOptions): Promise<boolean> {
  const { listener, log } = options;
  listener.stopAccepting();
  const results = await Promise.allSettled(options.onDrain.map((hook) => hook()));
  for (const result of results) {
    if (result.status === "rejected") log.error({ err: result.reason }, "a part of the server did not close well");
  }
  options.cutStreams();
  await listener.close(LAST_REQUESTS_MS);
  return results.every((result) => result.status === "fulfilled");
}

/** Wires the signals and fatal errors of this process to a drain and an exit code. */
export function installShutdown(options: ShutdownOptions): void {
  const { log } = options;
  let phase: Phase = { name: "running" };

  function exit(code: number): void {
    options.abandon();
    log.info({ code }, "bye");
    const leave = (): void => process.exit(code);
    setTimeout(leave, LAST_LINES_MS);
    options.flush().then(leave, leave);
  }

  function on(event: LifeEvent): void {
    const next = nextMove(phase, event);
    phase = next.phase;
    if (next.move.do === "exit") exit(next.move.code);
    if (next.move.do !== "drain") return;
    setTimeout(() => {
      log.warn({}, "not everything closed in time");
      on({ type: "deadline" });
    }, options.drainMs ?? DRAIN_MS);
    drain(options).then(
      (clean) => on({ type: "drained", clean }),
      (thrown: unknown) => {
        log.error({ err: thrown }, "the shutdown failed");
        on({ type: "drained", clean: false });
      },
    );
  }

  for (const signal of options.signals ?? STOP_SIGNALS) {
    process.on(signal, () => {
      if (phase.name === "running") log.info({ signal }, "shutting down; once more to leave at once");
      else log.debug({ signal }, "another signal");
      on({ type: "signal", signal, at: performance.now() });
    });
  }
  options.launcherEnd?.addEventListener("abort", () => {
    if (phase.name === "running") log.info({}, "the npm that runs this server has ended: shutting down");
    on({ type: "launcher-gone", at: performance.now() });
  });
  for (const fatal of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(fatal, (thrown: unknown) => {
      log.error({ err: thrown }, `${fatal}: this is a defect of Parley`);
      on({ type: "fatal", at: performance.now() });
    });
  }
  // A terminal or pipe that is gone is no reason to stop serving.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
