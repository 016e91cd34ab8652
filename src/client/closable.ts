import { deferred } from "./deferred.ts";

/** Events in order. Leave the loop, abort the signal or call `return()`: its connection is closed. */
export interface EventStream<T, R = undefined> {
  /** Where it is: give it as `after` to go on later, in another process too. */
  readonly cursor: string;
  next(): Promise<IteratorResult<T, R>>;
  return(): Promise<IteratorResult<T, R | undefined>>;
  [Symbol.asyncIterator](): EventStream<T, R>;
}

/**
 * A generator that can be stopped while it waits: by itself, `return()` of a generator would only be heard after the next
 * event, which may never come.
 */
export function closable<T, R>(
  make: (stop: AbortSignal) => AsyncGenerator<T, R, undefined>,
  cursor: () => string,
): EventStream<T, R> {
  const stop = new AbortController();
  const events = make(stop.signal);
  return {
    get cursor() {
      return cursor();
    },
    next: () => events.next(),
    return() {
      stop.abort();
      return events.return(undefined as R);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Waits for a promise until the signal is aborted; the promise goes on alone then. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = deferred<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Aborts with either signal. Returns the way to stop listening, so that a long-lived signal keeps nothing alive. */
export function either(a: AbortSignal, b: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  const both = new AbortController();
  const abort = (): void => both.abort(b?.aborted ? b.reason : a.reason);
  const signals = b ? [a, b] : [a];
  for (const signal of signals) signal.addEventListener("abort", abort);
  if (signals.some((signal) => signal.aborted)) abort();
  return {
    signal: both.signal,
    release() {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
