import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Fields, isFields, textIn } from "../../core/json/fields.ts";
import type { RunningServer } from "./serve/contract.ts";
import { requestOf } from "./serve/request-of.ts";

const LIMIT_MS = 10_000;
/** The list of all models of all providers is some megabytes. */
const LONGEST = 64 * 1024 * 1024;

/** The pauses between looks that failed on the way. */
const PAUSES_MS = [50, 250];

type Method = "GET" | "POST" | "PATCH" | "DELETE";
type Query = Readonly<Record<string, string | number | undefined>>;

export interface Asked {
  body?: unknown;
  query?: Query;
  /** 10 s unless told; 0 waits for ever. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** The server has answered with an error, or with something that is no answer of its API. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ApiRefusal";
    this.status = status;
  }
}

/** The words of an error in any of the shapes that the program has for them. */
function wordsOf(body: unknown, text: string): string {
  if (!isFields(body)) return text.slice(0, 300);
  const data = isFields(body.data) ? body.data : {};
  return textIn(data, "message") ?? textIn(body, "message") ?? textIn(body, "name") ?? text.slice(0, 300);
}

/** Requests to a server of the program for one directory. */
export class Api {
  readonly #server: Pick<RunningServer, "url" | "headers">;
  readonly directory: string;

  constructor(server: Pick<RunningServer, "url" | "headers">, directory: string) {
    this.#server = server;
    this.directory = directory;
  }

  /** The answer's value; undefined where it has none. Rejects with `ApiRefusal`, or with the error of the connection. */
  async ask(method: Method, path: string, asked: Asked = {}): Promise<unknown> {
    return (await this.page(method, path, asked)).value;
  }

  /** The answer with the cursor to the page after it. A look that failed on the way is repeated. */
  async page(method: Method, path: string, asked: Asked = {}): Promise<{ value: unknown; next?: string }> {
    for (const pause of method === "GET" ? PAUSES_MS : []) {
      try {
        return await this.#once(method, path, asked);
      } catch (thrown) {
        if (asked.signal?.aborted || !isPassing(thrown)) throw thrown;
        await delay(pause);
      }
    }
    return this.#once(method, path, asked);
  }

  async #once(method: Method, path: string, asked: Asked): Promise<{ value: unknown; next?: string }> {
    const { limitMs = LIMIT_MS, signal } = asked;
    const limits = [...(limitMs > 0 ? [AbortSignal.timeout(limitMs)] : []), ...(signal ? [signal] : [])];
    const response = await this.open(method, path, { ...asked, signal: AbortSignal.any(limits) });
    const text = await wholeText(response);
    const { statusCode: status = 0, headers } = response;
    const isPage = headers["content-type"]?.startsWith("text/html") ?? false;
    const value = readJson(text);
    if (status >= 300) throw new ApiRefusal(status, (!isPage && wordsOf(value, text)) || `status ${status}`);
    // A path that the program does not know is answered with its web page.
    if (isPage) throw new ApiRefusal(404, `OpenCode does not know ${path}`);
    const next = headers["x-next-cursor"];
    return { value, ...(typeof next === "string" && next !== "" ? { next } : {}) };
  }

  /** The open answer to a request, whose body is still to be read. */
  async open(method: Method, path: string, { body, query = {}, signal }: Asked): Promise<IncomingMessage> {
    const url = new URL(this.#server.url + path);
    url.searchParams.set("directory", this.directory);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...this.#server.headers,
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    const send = await requestOf(url);
    return new Promise((resolve, reject) => {
      const sent = send(url, { method, headers, agent: false, ...(signal ? { signal } : {}) }, resolve);
      sent.on("error", reject);
      sent.end(text);
    });
  }

  async fields(method: Method, path: string, asked?: Asked): Promise<Fields> {
    const value = await this.ask(method, path, asked);
    return isFields(value) ? value : {};
  }

  async list(method: Method, path: string, asked?: Asked): Promise<Fields[]> {
    const value = await this.ask(method, path, asked);
    return Array.isArray(value) ? value.filter(isFields) : [];
  }
}

/** Whether the program itself has said no. */
export function isItsNo(thrown: unknown): boolean {
  return thrown instanceof ApiRefusal && !isGateways(thrown);
}

/** Whether the program does not have what it was asked for. */
export function isRefused(thrown: unknown): boolean {
  return thrown instanceof ApiRefusal && thrown.status < 500;
}

/** Whether a failure is one of the way to the server: no answer of the program's came, or not in time. */
export function isOfTheWay(thrown: unknown): boolean {
  if (thrown instanceof ApiRefusal) return isGateways(thrown);
  const { code, name } = thrown as { code?: unknown; name?: unknown };
  return name === "TimeoutError" || name === "AbortError" || (typeof code === "string" && !code.startsWith("ERR_"));
}

function isGateways({ status }: ApiRefusal): boolean {
  return status >= 502 && status <= 504;
}

/** Whether a failure may be gone in a moment. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof ApiRefusal) return isGateways(thrown);
  return !(thrown instanceof Error && thrown.name === "TimeoutError");
}

async function wholeText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LONGEST) {
      response.destroy();
      throw new ApiRefusal(0, `OpenCode's answer is longer than ${LONGEST} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function readJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
