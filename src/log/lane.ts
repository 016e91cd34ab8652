/** Runs jobs one after the other: a job in slices is done before the next begins. */
export function createLane() {
  let tail: Promise<unknown> = Promise.resolve();
  return {
    run<T>(job: () => Promise<T>): Promise<T> {
      const result = tail.then(job);
      tail = result.catch(() => undefined);
      return result;
    },
    /** Resolves when the jobs that were given so far are done. */
    async idle(): Promise<void> {
      await tail;
    },
  };
}
