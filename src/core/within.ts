/** The value of a promise if it comes in time, else undefined. The work behind the promise goes on; a failure in time is thrown. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<{ value: T } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
