import type { IncomingMessage, ServerResponse } from "node:http";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { elsewhereOf } from "./elsewhere.ts";
import { Answer, type Endpoint, WRITTEN } from "./endpoint.ts";
import { paramDecoded, pathOf } from "./path.ts";
import { type RequestContext, readBody, readQuery } from "./read.ts";

export interface SurfaceOptions<More> {
  endpoints: readonly Endpoint<More>[];
  /** Facts that a call carries beside the request itself. Throws to refuse the request before it is read. */
  more(context: RequestContext, endpoint: Endpoint<More>): More | Promise<More>;
  /** Anything that was thrown, in the form of the surface's errors. */
  refusal(thrown: unknown, context: RequestContext): Answer;
  /** Where a client finds the paths that there are: ends the error of a path that is unknown. */
  directions: string;
  logger: Logger;
}

/** A refusal that is about to pass: the same request may be made again. */
const RETRY_SOON = { "retry-after": "1" };

export function json(status: number, value: unknown, type = "application/json"): Answer {
  const headers = { "content-type": type, ...(status === 503 ? RETRY_SOON : {}) };
  return new Answer(JSON.stringify(value) ?? null, headers, status);
}

/** A longer text is made into bytes once: its characters would be gone over several times. */
const LONG = 256 * 1024;
/** Statuses whose answers have no body, and no length of one. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

function send(response: ServerResponse, { body: said, headers, status = 200 }: Answer): void {
  // The client has left, and nobody hears an error of a write.
  if (response.destroyed) return;
  const body = typeof said === "string" && said.length > LONG ? Buffer.from(said) : said;
  if (BODILESS.has(status)) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, "content-length": body === null ? 0 : Buffer.byteLength(body) });
  response.end(body ?? undefined);
}

function answerOf(value: unknown, status: number): Answer {
  if (value instanceof Answer)
    return value.status === undefined ? new Answer(value.body, value.headers, status) : value;
  return status === 204 ? new Answer(null, {}, status) : json(status, value);
}

/** A surface as a handler for the server: its endpoints, each read, called and answered in the same way. */
export function serveSurface<More extends object>(
  options: SurfaceOptions<More>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const router = new SmartRouter<Endpoint<More>>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const endpoint of options.endpoints) {
    router.add(endpoint.method.toUpperCase(), endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), endpoint);
  }

  /** The endpoint of a request, and the parameters in its path. */
  function find(method: string, path: string): [Endpoint<More>, Record<string, string>] {
    const [[found] = [], parts] = router.match(method === "HEAD" ? "GET" : method, path);
    if (!found) throw new ParleyError("not_found", `nothing at ${method} ${path}${options.directions}`);
    const [endpoint, named] = found;
    const texts = Object.entries(named).map(([name, value]) => [
      name,
      paramDecoded(typeof value === "number" ? (parts?.[value] ?? "") : value),
    ]);
    return [endpoint, Object.fromEntries(texts)];
  }

  /** Undefined where the answer is written by others. */
  async function answer(context: RequestContext): Promise<Answer | undefined> {
    const { request, response, method, path } = context;
    const [endpoint, params] = find(method, path);
    context.params = params;
    const value = await endpoint.handle({
      ...(await options.more(context, endpoint)),
      params,
      query: readQuery(context, endpoint),
      body: await readBody(context, endpoint),
      header: context.header,
      request,
      response,
    });
    return value === WRITTEN ? undefined : answerOf(value, endpoint.status ?? 200);
  }

  async function refuse(thrown: unknown, context: RequestContext): Promise<Answer | undefined> {
    const { request, method, path } = context;
    const elsewhere = isParleyError(thrown) ? elsewhereOf(request, thrown) : undefined;
    if (elsewhere && isParleyError(thrown)) {
      const unanswered = await elsewhere(thrown);
      return unanswered && options.refusal(unanswered, context);
    }
    const refusal = options.refusal(thrown, context);
    if (refusal.status === 500) options.logger.error({ err: thrown, method, path }, "a request failed");
    return refusal;
  }

  return async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const header = (name: string): string | undefined => {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(", ") : value;
    };
    const context: RequestContext = { request, response, method, path: pathOf(url), params: {}, header };
    const said = await answer(context).catch((thrown: unknown) => refuse(thrown, context));
    if (said) send(response, said);
  };
}
