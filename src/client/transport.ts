import type { RequestWithHandover } from "../core/handover.ts";
import { apiError, connectionError, ParleyProtocolError } from "./errors.ts";
import type { EventHandover } from "./handover.ts";
import { type Backoff, isUnanswered, pause, waitFor } from "./retry.ts";
import { Watch } from "./watch.ts";

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments, which are escaped. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
  signal?: AbortSignal;
  /** For an event stream: a server in the same process gives its events here. */
  handover?: EventHandover;
  /** The request may be sent again when it is not known whether it arrived. */
  repeatable?: boolean;
  /** The answer may take so long, where that is longer than others may. */
  patienceMs?: number;
}

export interface TransportOptions {
  base: URL;
  token: string | undefined;
  name: string | undefined;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  timeoutMs: number;
  retries: number;
  backoff: Backoff;
}

/** The waits between repeats of a request grow from this. */
const REPEAT_MS = 250;

/** An id as a part of a path. What a URL would swallow names nothing, and must not name something else. */
function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`expected an id, got "${text}"`);
  return encodeURIComponent(text);
}

/** Sends requests to one server. */
export class Transport {
  readonly options: TransportOptions;
  readonly #headers: Headers;

  constructor(options: TransportOptions) {
    this.options = options;
    this.#headers = new Headers();
    // A token that no header can hold fails here, not in the first request.
    if (options.token !== undefined) this.#headers.set("authorization", `Bearer ${options.token}`);
    if (options.name !== undefined) this.#headers.set("x-parley-client", options.name);
  }

  /** The request as messages name it; a token is never part of it. */
  nameOf(call: Call): string {
    return `${call.method} ${this.#url(call)}`;
  }

  /** The address of a WebSocket. Browsers send no header with it, so the token is part of it. */
  socketUrl(path: readonly string[], query: Call["query"]): string {
    const url = new URL(this.#url({ path, query: { ...query, auth_token: this.options.token } }));
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  }

  #url({ path, query = {} }: Pick<Call, "path" | "query">): string {
    const url = new URL(this.options.base);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${path.map(segment).join("/")}`;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  /** Resolves with the head of a good response; its body is still to come. */
  async open(call: Call, watch: Watch): Promise<Response> {
    const headers = new Headers(this.#headers);
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    if (call.body !== undefined) headers.set("content-type", "application/json");
    const init: RequestWithHandover = { method: call.method, headers, signal: watch.signal, cache: "no-store" };
    if (call.handover) init.handover = call.handover;
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    const response = await this.#reached(call, watch, this.options.fetch(this.#url(call), init));
    if (response.ok) return response;
    const text = await this.#textOf(call, response, watch);
    const { status, headers: received } = response;
    throw apiError(this.nameOf(call), { status, headers: received, text }, this.#headers.has("authorization"));
  }

  async json<T>(call: Call): Promise<T> {
    const { retries, backoff } = this.options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once<T>(call);
      } catch (error) {
        if (!call.repeatable || attempt >= retries || !isUnanswered(error)) throw error;
        await pause(waitFor(error, backoff(attempt, REPEAT_MS)), call.signal);
        call.signal?.throwIfAborted();
      }
    }
  }

  async #once<T>(call: Call): Promise<T> {
    const watch = new Watch(Math.max(this.options.timeoutMs, call.patienceMs ?? 0), call.signal);
    try {
      const response = await this.open(call, watch);
      const text = await this.#textOf(call, response, watch);
      if (response.status === 204) return undefined as T;
      try {
        return JSON.parse(text) as T;
      } catch {
        throw new ParleyProtocolError(
          `${this.nameOf(call)} answered "${text.slice(0, 60)}", expected JSON: check the address of the server`,
        );
      }
    } finally {
      watch.close();
    }
  }

  async #textOf(call: Call, response: Response, watch: Watch): Promise<string> {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = (await (reader && this.#reached(call, watch, reader.read()))) ?? { done: true };
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  }

  /** Tells the caller's abort from a connection that failed. */
  async #reached<T>(call: Call, watch: Watch, step: Promise<T>): Promise<T> {
    try {
      return await watch.within(step);
    } catch (thrown) {
      if (call.signal?.aborted) throw call.signal.reason;
      throw connectionError(this.nameOf(call), thrown);
    }
  }
}
