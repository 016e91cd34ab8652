import type { Log } from "../../../log/contract.ts";

/** Resolves when a session has neither a turn nor a prompt that waits for one, or when nobody waits any more. */
export async function waitIdle(log: Log, session: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const changed = Promise.withResolvers<void>();
    const done = (): void => changed.resolve();
    // Heard before it is looked at, so that nothing can happen in between.
    const stop = log.listen(session, done);
    signal.addEventListener("abort", done);
    try {
      const head = await log.head(session);
      if (!head || (head.state.turn === null && head.state.queue.length === 0)) return;
      await changed.promise;
    } finally {
      stop();
      signal.removeEventListener("abort", done);
    }
  }
}
