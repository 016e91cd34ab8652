/** How long a test file may take. */
export interface Limits {
  /** From its start on. */
  fileMs: number;
  /** After the end of its last test, when only an open connection or a process that it left can keep it. */
  endingMs: number;
}

interface RunningFile {
  since: number;
  /** Tests and groups that have begun or wait for their turn. */
  open: number;
  /** The time of the last begin or end of a test. */
  changed: number;
}

/** The test files that run now, and which of them should have ended. */
export class RunningFiles {
  readonly #files = new Map<string, RunningFile>();

  begin(file: string, now: number): void {
    this.#files.set(file, { since: now, open: 0, changed: now });
  }

  end(file: string): void {
    this.#files.delete(file);
  }

  testBegins(file: string, now: number): void {
    this.#count(file, 1, now);
  }

  testEnds(file: string, now: number): void {
    this.#count(file, -1, now);
  }

  #count(file: string, step: 1 | -1, now: number): void {
    const running = this.#files.get(file);
    if (!running) return;
    running.open += step;
    running.changed = now;
  }

  /** The files that have passed a limit, each with the reason in words. */
  overdue({ fileMs, endingMs }: Limits, now: number): { file: string; reason: string }[] {
    return [...this.#files].flatMap(([file, { since, open, changed }]) => {
      if (now - since > fileMs) return { file, reason: `it has not ended within ${seconds(fileMs)}` };
      // Before its first test a file may install what it needs.
      if (open > 0 || changed === since || now - changed <= endingMs) return [];
      return { file, reason: `its process has not ended within ${seconds(endingMs)} after its last test` };
    });
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
