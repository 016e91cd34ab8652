import type { Log } from "../../../log/contract.ts";

/** Resolves when a session has neither a turn nor a queued prompt, or when the client has left. */
export async function waitIdle(log: Log, session: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const changed = Promise.withResolvers<void>();
    const done = (): void => changed.resolve();
    // Listens before it looks, so that no change is missed in between.
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
