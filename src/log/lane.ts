/** Runs jobs one after the other: a job in slices is done before the next begins. */
export interface Lane {
  run<T>(job: () => Promise<T>): Promise<T>;
  /** Resolves when the jobs so far are done. */
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
