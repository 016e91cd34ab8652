import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { isCancelled } from "../requests.ts";

/** Deletes a session. */
type Remove = (id: string) => Promise<void>;

/** A session that begins, until its request is answered. It can be taken back at any time. */
export class Beginning {
  readonly #remove: Remove;
  readonly #left = Promise.withResolvers<never>();
  readonly #stop = new AbortController();
  #id: string | undefined;
  #reason: Error | undefined;
  #removing: Promise<void> | undefined;

  constructor(remove: Remove) {
    this.#remove = remove;
    this.#left.promise.catch(() => {});
  }

  /** Rejects as soon as it is taken back. */
  get left(): Promise<never> {
    return this.#left.promise;
  }

  /** Aborted when it is taken back. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The session has an id now. */
  named(id: string): void {
    this.#id = id;
    this.assertWanted();
  }

  assertWanted(): void {
    if (this.#reason) throw this.#reason;
  }

  takeBack(reason: Error): void {
    this.#reason ??= reason;
    this.#left.reject(this.#reason);
    this.#stop.abort(this.#reason);
    void this.remove();
  }

  /** Resolves when the session is deleted. Undefined where it has no id yet: it is deleted as soon as it has one. */
  remove(): Promise<void> | undefined {
    if (this.#id !== undefined) this.#removing ??= this.#remove(this.#id);
    return this.#removing;
  }
}

/** The sessions of a client that begin. */
export class Beginnings {
  readonly #remove: Remove;
  readonly #all = new Map<Beginning, Promise<unknown>>();

  constructor(remove: Remove) {
    this.#remove = remove;
  }

  /** Begins a session. One that cannot begin, or whose request is cancelled, is deleted. */
  async begin<T>(signal: AbortSignal | undefined, create: (beginning: Beginning) => Promise<T>): Promise<T> {
    const beginning = new Beginning(this.#remove);
    const creating = this.#create(beginning, create);
    this.#all.set(beginning, creating);
    const over = (): void => void this.#all.delete(beginning);
    creating.then(over, over);
    const cancel = (): void => {
      if (isCancelled(signal)) beginning.takeBack(RequestError.requestCancelled());
    };
    signal?.addEventListener("abort", cancel, { once: true });
    cancel();
    try {
      return await Promise.race([creating, beginning.left]);
    } finally {
      // A cancel from now on has crossed the response, and the client has the session.
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Takes back all. Resolves when none is left. */
  async takeBackAll(reason: Error): Promise<void> {
    const gone = [...this.#all].map(([beginning, creating]) => {
      beginning.takeBack(reason);
      return beginning.remove() ?? creating;
    });
    await Promise.allSettled(gone);
  }

  async #create<T>(beginning: Beginning, create: (beginning: Beginning) => Promise<T>): Promise<T> {
    try {
      return await create(beginning);
    } catch (error) {
      await beginning.remove();
      throw error;
    }
  }
}
