import { randomUUID } from "node:crypto";
import { type ControlRequest, controlLine } from "./commands.ts";
import type { Response } from "./decode.ts";

/** Requests to the program that are not answered yet. */
export class Control {
  readonly #write: (line: string) => Promise<void>;
  readonly #open = new Map<string, (response: Response) => void>();
  #gone = false;

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves with the answer, or with a failure when the program goes without one. */
  ask(request: ControlRequest): Promise<Response> {
    const id = randomUUID();
    if (this.#gone) return Promise.resolve(unanswered(id));
    const { promise, resolve } = Promise.withResolvers<Response>();
    this.#open.set(id, resolve);
    void this.#write(controlLine(id, request));
    return promise;
  }

  answered(response: Response): void {
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

function unanswered(id: string): Response {
  return { id, ok: false, body: {}, error: "the program exited without an answer" };
}
