/** The next thing to do about a file that takes too long. Each one is tried for some time before the next. */
export type Measure = "end its processes" | "end what the run left without a parent" | "give up";

const MEASURES: readonly Measure[] = ["end its processes", "end what the run left without a parent", "give up"];

interface RunningFile {
  since: number;
  tried: number;
}

/** The test files that run now, and which of them should have ended. */
export class RunningFiles {
  readonly #files = new Map<string, RunningFile>();

  begin(file: string, now: number): void {
    this.#files.set(file, { since: now, tried: 0 });
  }

  end(file: string): void {
    this.#files.delete(file);
  }

  /** The files that have passed the limit, or have not ended `patienceMs` after the last measure, each with the next one. */
  overdue(limitMs: number, patienceMs: number, now: number): { file: string; measure: Measure }[] {
    return [...this.#files].flatMap(([file, running]) => {
      if (now - running.since <= limitMs + running.tried * patienceMs) return [];
      const measure = MEASURES[running.tried] ?? "give up";
      running.tried += 1;
      return { file, measure };
    });
  }
}
