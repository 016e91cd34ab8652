import { resolve } from "node:path";

/** One change of a file at a time: calls of one step run side by side, and each must see what the other wrote. */
export class FileLocks {
  readonly #tails = new Map<string, Promise<void>>();

  async hold<T>(directory: string, path: string, work: () => Promise<T>): Promise<T> {
    const key = resolve(directory, path);
    const before = this.#tails.get(key);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      release();
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
    }
  }
}
