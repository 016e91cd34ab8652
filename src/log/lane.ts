/** Runs jobs one after the other, so that slow work in slices never meets itself half done. */
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
