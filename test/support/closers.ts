import type { Cleanup } from "./server.ts";

/** Resources that several tests share, closed when all of them are over, the first one first. */
export class Closers implements Cleanup {
  readonly #closers: (() => Promise<void>)[] = [];

  after(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0)) await close().catch((thrown) => failures.push(thrown));
    if (failures.length > 0) throw new AggregateError(failures, "shared resources could not be closed");
  }
}
