import { ParleyError } from "../../core/errors.ts";
import { type Fields, fieldsIn, isFields, numberIn, textIn } from "../../core/json/fields.ts";
import { within } from "../../core/within.ts";

/** How long a program may take to read a request that somebody waits for. */
const HEAR_MS = 3_000;

/** The error of an answer, in the program's words. */
export interface RpcError {
  code: number;
  message: string;
  data: Fields;
}

/** The program's answer to something that Parley asked of it. */
export interface Response {
  result: Fields;
  error?: RpcError;
}

/** An id of the program's, which its answer repeats exactly. */
export type RequestId = string | number | null;

export type Reply = { result: Fields } | { error: { code: number; message: string } };

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
export const AUTH_REQUIRED = -32_000;
export const NOT_FOUND = -32_002;
export const REQUEST_CANCELLED = -32_800;

/** The answer to a request that the program took back. */
export const WITHDRAWN: Reply = { error: { code: REQUEST_CANCELLED, message: "the request was cancelled" } };

const GONE: Response = {
  result: {},
  error: { code: INTERNAL_ERROR, message: "the program exited without an answer", data: {} },
};

function errorOf(line: Fields): RpcError | undefined {
  if (line.error === undefined || line.error === null) return undefined;
  const error = fieldsIn(line, "error");
  const message = textIn(error, "message") ?? JSON.stringify(line.error);
  const data = typeof error.data === "string" ? { details: error.data } : fieldsIn(error, "data");
  return { code: numberIn(error, "code") ?? INTERNAL_ERROR, message, data };
}

/** Both sides' requests over a program's lines. */
export class Rpc {
  readonly #write: (line: string) => Promise<void>;
  readonly #open = new Map<number, (response: Response) => void>();
  #last = 0;
  #gone = false;

  constructor(write: (line: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves with the answer, or with an error when the program goes without one. */
  ask(method: string, params: Fields): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    void this.call(method, params, resolve);
    return promise;
  }

  /** As `ask`, and rejects where the program does not read the request in time. Its answer may take longer. */
  async askHeard(method: string, params: Fields): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const written = this.call(method, params, resolve);
    if (await within(Promise.race([written, promise]), HEAR_MS)) return promise;
    throw new ParleyError("unavailable", "the agent does not read its input");
  }

  /** Has the answer taken while its line is read, before any line after it. Resolves when the request is written. */
  async call(method: string, params: Fields, take: (response: Response) => void): Promise<void> {
    if (this.#gone) return take(GONE);
    const id = ++this.#last;
    this.#open.set(id, take);
    await this.#write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  tell(method: string, params: Fields): Promise<void> {
    return this.#write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  reply(id: RequestId, reply: Reply): Promise<void> {
    return this.#write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
  }

  /** Takes the program's answer; one that nobody waits for, or a second one, means nothing. */
  answered(line: Fields): void {
    const id = typeof line.id === "string" ? Number(line.id) : line.id;
    const take = typeof id === "number" ? this.#open.get(id) : undefined;
    if (typeof id !== "number" || !take) return;
    this.#open.delete(id);
    const error = errorOf(line);
    take({ result: isFields(line.result) ? line.result : {}, ...(error ? { error } : {}) });
  }

  /** The program is gone: nobody waits for it any longer. */
  close(): void {
    this.#gone = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const take of open) take(GONE);
  }
}
