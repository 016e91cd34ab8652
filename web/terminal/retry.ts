/** The wait before the next try of a connection, in milliseconds. */
export function retryAfterMs(tries: number): number {
  return Math.min(10_000, 500 * 2 ** tries);
}
