import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";

/** The limits of Node's own `fetch`. */
interface FetchLimits {
  connectMs: number;
  /** How long a server may say nothing. */
  silentMs: number;
}

const LIMITS: FetchLimits = { connectMs: 10_000, silentMs: 300_000 };
const MAX_REDIRECTS = 5;
/** Redirects that keep method and body. */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);
/** Another server than the one that was asked gets none of these. */
const SECRET: ReadonlySet<string> = new Set([
  ...["authorization", "proxy-authorization", "cookie"],
  ...["api-key", "x-api-key", "x-goog-api-key"],
]);

type Start = typeof httpRequest;

export type HttpFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The parts of a response that readers of models' answers use. */
class HttpResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: ReadableStream<Uint8Array>;
  readonly url: string;

  constructor(message: IncomingMessage, url: URL, body: ReadableStream<Uint8Array>) {
    const { statusCode = 0, statusMessage = "", headers } = message;
    this.ok = statusCode >= 200 && statusCode < 300;
    this.status = statusCode;
    this.statusText = statusMessage;
    this.headers = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    this.body = body;
    this.url = url.href;
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of this.body) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

function headersOf(given: RequestInit["headers"], isForeign: boolean): Record<string, string> {
  const pairs = given && Symbol.iterator in given ? [...given] : Object.entries(given ?? {});
  const own = pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)] as const);
  const sent = isForeign ? own.filter(([name]) => !SECRET.has(name)) : own;
  return { "accept-encoding": "identity", ...Object.fromEntries(sent) };
}

const COMPRESSED = /^(?:br|deflate|(?:x-)?gzip)$/;

/** The bytes of a response, also where a server compresses them although it was told not to. Other encodings are passed on. */
function decoded(message: IncomingMessage): Readable {
  const encoding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (!COMPRESSED.test(encoding)) return message;
  // A failure is told to the reader.
  return pipeline(message, encoding === "br" ? createBrotliDecompress() : createUnzip(), () => {});
}

/** An error of the network, by which others know that it may pass. */
const timedOut = (message: string): Error => Object.assign(new Error(message), { code: "ETIMEDOUT" });

/** A stream of what a server says. It fails as that of `fetch` does: by the reason of an abort, or as terminated. */
function bodyOf(source: Readable, message: IncomingMessage, signal: AbortSignal | null | undefined) {
  const reader = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.next();
          if (done) controller.close();
          else controller.enqueue(new Uint8Array(value));
        } catch (error) {
          controller.error(signal?.aborted ? signal.reason : new TypeError("terminated", { cause: error }));
        }
      },
      cancel() {
        source.destroy();
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Only texts are sent, to addresses: whoever has more to send needs `fetch` itself. */
function textIn({ body = null }: RequestInit): string | undefined {
  if (body !== null && typeof body !== "string") throw new TypeError("expected a body that is a text");
  return body ?? undefined;
}

function addressIn(url: string | URL | Request): URL {
  if (typeof url === "string" || url instanceof URL) return new URL(url);
  throw new TypeError("expected an address");
}

function send(url: URL, init: RequestInit, { connectMs, silentMs }: FetchLimits, isForeign: boolean, start: Start) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = "GET", signal } = init;
  const text = textIn(init);
  let answering: IncomingMessage | undefined;
  const headers = headersOf(init.headers, isForeign);
  // The limit is given here already: sockets that connect have another one of Node's.
  const sent = start(url, { method, headers, timeout: silentMs, ...(signal && { signal }) });
  sent.once("response", (message) => {
    answering = message;
    resolve(message);
  });
  sent.on("error", reject);
  sent.once("close", () => reject(new Error("the model's server closed the connection without an answer")));
  sent.once("timeout", () => {
    (answering ?? sent).destroy(timedOut(`the model's server said nothing for ${silentMs} ms`));
  });
  sent.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = (): void => void sent.destroy(timedOut(`there was no connection to ${url.host} in ${connectMs} ms`));
    const timer = setTimeout(late, connectMs);
    const connected = url.protocol === "https:" ? "secureConnect" : "connect";
    for (const event of [connected, "error", "close"]) socket.once(event, () => clearTimeout(timer));
  });
  // As bytes: with a text Node would write the head as UTF-8, too.
  sent.end(text === undefined ? undefined : Buffer.from(text));
  return promise;
}

async function answerOf(
  url: URL,
  init: RequestInit,
  limits: FetchLimits,
  isForeign: boolean,
  left: number,
): Promise<Response> {
  const start = url.protocol === "https:" ? (await import("node:https")).request : httpRequest;
  init.signal?.throwIfAborted();
  const message = await send(url, init, limits, isForeign, start);
  const { statusCode = 0, headers } = message;
  if (REDIRECTS.has(statusCode) && headers.location !== undefined && left > 0) {
    message.destroy();
    const next = new URL(headers.location, url);
    return answerOf(next, init, limits, isForeign || next.origin !== url.origin, left - 1);
  }
  const body = bodyOf(decoded(message), message, init.signal);
  // A whole `Response` would load all of the web's interfaces with it.
  return new HttpResponse(message, url, body) as unknown as Response;
}

/**
 * As `fetch`, for requests with a text to a model's server, by Node's own `http`: `fetch` brings the web's interfaces, HTTP/2
 * and a parser of its own, which are 11 MB of a process that needs none of them.
 */
export function createHttpFetch(limits: FetchLimits = LIMITS): HttpFetch {
  return async (url, init = {}) => {
    try {
      return await answerOf(addressIn(url), init, limits, false, MAX_REDIRECTS);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}
