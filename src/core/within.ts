/** What a promise gives, if it does so in time. Its failure is the caller's; it goes on either way. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<{ value: T } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
