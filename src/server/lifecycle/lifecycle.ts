export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

const NUMBER: Readonly<Record<StopSignal, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

export type Phase =
  | { name: "running" }
  | { name: "draining"; since: number; code: number; cause: StopSignal | "fatal" | "launcher-gone" };

export type LifeEvent =
  | { type: "signal"; signal: StopSignal; at: number }
  | { type: "fatal"; at: number }
  /** The program that runs us is gone, and nobody is left to stop us. */
  | { type: "launcher-gone"; at: number }
  | { type: "drained"; clean: boolean }
  | { type: "deadline" };

export type Move = { do: "drain" } | { do: "exit"; code: number } | { do: "nothing" };

/** npm and npx pass a Ctrl-C on that the terminal has sent us already; that is one wish, not two. */
const ECHO_MS = 250;

export function exitCodeOf(signal: StopSignal): number {
  return 128 + NUMBER[signal];
}

const isSignal = (cause: string): cause is StopSignal => STOP_SIGNALS.some((signal) => signal === cause);

/**
 * A first signal drains and a clean drain exits with 0. A second signal or the deadline exits
 * at once, with the code of a process that its signal ended. A fatal error drains too and exits with 1.
 * The launcher's end drains as a signal does; the signal that ended the launcher may have come to us as well.
 */
export function nextMove(phase: Phase, event: LifeEvent): { phase: Phase; move: Move } {
  if (phase.name === "running") {
    if (event.type === "drained" || event.type === "deadline") return { phase, move: { do: "nothing" } };
    const cause = event.type === "signal" ? event.signal : event.type;
    const code = event.type === "fatal" ? 1 : 0;
    return { phase: { name: "draining", since: event.at, code, cause }, move: { do: "drain" } };
  }
  switch (event.type) {
    case "launcher-gone":
      return { phase, move: { do: "nothing" } };
    case "signal":
      if ((event.signal === phase.cause || phase.cause === "launcher-gone") && event.at - phase.since < ECHO_MS)
        return { phase, move: { do: "nothing" } };
      return { phase, move: { do: "exit", code: exitCodeOf(event.signal) } };
    case "fatal":
      return { phase: { ...phase, code: 1 }, move: { do: "nothing" } };
    case "drained":
      return { phase, move: { do: "exit", code: event.clean ? phase.code : 1 } };
    case "deadline":
      return { phase, move: { do: "exit", code: isSignal(phase.cause) ? exitCodeOf(phase.cause) : 1 } };
  }
}
