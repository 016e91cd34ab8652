/** The exit codes of every command; `run` adds one for each outcome of a turn. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** 128 and the number of SIGPIPE: what a program ends with when its reader has gone. */
export const EXIT_PIPE_CLOSED = 141;

/** 128 and the number of SIGINT. */
export const EXIT_CTRL_C = 130;

/** Ends the command with one line for a person and an exit code, and no stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

/** A mistake in a flag, a variable or a configuration file. */
export function usageError(message: string): CliError {
  return new CliError(message, EXIT.usage);
}

export function systemCodeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined;
}
