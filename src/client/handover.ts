import type { Handed, Handover } from "../core/handover.ts";
import { deferred } from "./deferred.ts";

/** Characters that may wait for the client before the stream waits for it. */
const FULL = 1024 * 1024;

/** The client's side of a handover: keeps what was given until it is taken. */
export class EventHandover implements Handover {
  #isUsed = false;
  #waiting: Handed[] = [];
  #weight = 0;
  #taken = 0;
  #over: { error: unknown } | undefined;
  #reader: ReturnType<typeof deferred<Handed>> | undefined;
  #room: ReturnType<typeof deferred<void>> | undefined;

  get isUsed(): boolean {
    return this.#isUsed;
  }

  get progress(): number | undefined {
    return this.#waiting.length === 0 ? undefined : this.#taken;
  }

  use(): void {
    this.#isUsed = true;
  }

  give(handed: Handed, weight: number): Promise<void> | undefined {
    if (this.#over) return undefined;
    if (this.#reader) {
      this.#taken += 1;
      this.#reader.resolve(handed);
      this.#reader = undefined;
      return undefined;
    }
    this.#waiting.push(handed);
    this.#weight += weight;
    if (this.#weight <= FULL) return undefined;
    this.#room ??= deferred();
    return this.#room.promise;
  }

  end(error: unknown): void {
    this.#over ??= { error };
    this.#reader?.reject(error);
    this.#reader = undefined;
    this.#release();
  }

  /** The next that was given. Rejects when the connection is over. */
  take(): Promise<Handed> {
    const next = this.#waiting.shift();
    if (next) {
      this.#taken += 1;
      if (this.#waiting.length === 0) this.#release();
      return Promise.resolve(next);
    }
    if (this.#over) return Promise.reject(this.#over.error);
    this.#reader = deferred();
    return this.#reader.promise;
  }

  #release(): void {
    this.#weight = 0;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
