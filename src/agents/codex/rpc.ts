import type { Fields } from "../../core/json/fields.ts";
import type { Reply } from "./decode/state.ts";
import type { Response } from "./decode.ts";

/** Parley's requests to the program, until they are answered. */
export class Rpc {
  readonly #write: (line: string) => Promise<void>;
  readonly #open = new Map<number, (response: Response) => void>();
  #last = 0;
  #gone = false;

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves with the answer, or with an error when the program goes without one. */
  ask(method: string, params: Fields = {}): Promise<Response> {
    const id = ++this.#last;
    if (this.#gone) return Promise.resolve(unanswered(id));
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.#open.set(id, resolve);
    void this.#write(JSON.stringify({ id, method, params }));
    return promise;
  }

  tell(method: string): void {
    void this.#write(JSON.stringify({ method }));
  }

  reply(reply: Reply): Promise<void> {
    return this.#write(JSON.stringify(reply));
  }

  answered(response: Response): void {
    if (typeof response.id !== "number") return;
    this.#open.get(response.id)?.(response);
    this.#open.delete(response.id);
  }

  /** The program is gone: nobody waits for it any longer. */
  close(): void {
    this.#gone = true;
    for (const [id, resolve] of this.#open) resolve(unanswered(id));
    this.#open.clear();
  }
}

function unanswered(id: number): Response {
  return { id, error: "the program exited without an answer" };
}
