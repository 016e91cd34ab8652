/** Runs jobs one after the other, so that slow work in slices never meets itself half done. */
export interface Lane {
  run<T>(job: () => Promise<T>): Promise<T>;
  /** Resolves when what was given so far is done. */
  idle(): Promise<void>;
}

export function createLane(): Lane {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run(job) {
      const result = tail.then(job);
      tail = result.catch(() => undefined);
      return result;
    },
    async idle() {
      await tail;
    },
  };
}
