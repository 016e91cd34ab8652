import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { elsewhereOf } from "./elsewhere.ts";
import { Answer, type Endpoint, WRITTEN } from "./endpoint.ts";
import { type RequestContext, readBody, readQuery } from "./read.ts";

export interface SurfaceOptions<More> {
  endpoints: readonly Endpoint<More>[];
  /** Facts that a call carries beside the request itself. Throws to refuse the request before it is read. */
  more(context: RequestContext, endpoint: Endpoint<More>): More | Promise<More>;
  /** Anything that was thrown, in the form of the surface's errors. */
  refusal(thrown: unknown, context: RequestContext): Response;
  /** Where a client finds the paths that there are: ends the error of a path that is unknown. */
  directions: string;
  logger: Logger;
}

/** A refusal that is about to pass: the same request may be made again. */
const RETRY_SOON = { "retry-after": "1" };

export function json(status: number, value: unknown, type = "application/json"): Response {
  const headers = { "content-type": type, ...(status === 503 ? RETRY_SOON : {}) };
  return new Response(JSON.stringify(value), { status, headers });
}

/** A longer text is made into bytes once: a response would go over its characters three times. */
const LONG = 256 * 1024;

function responseOf(answer: unknown, status: number): Response {
  if (answer === WRITTEN) return RESPONSE_ALREADY_SENT;
  if (answer instanceof Answer) {
    const { body: said, headers, status: own = status } = answer;
    const body = typeof said === "string" && said.length > LONG ? Buffer.from(said) : said;
    return new Response(body as ConstructorParameters<typeof Response>[0], { status: own, headers });
  }
  return status === 204 ? new Response(null, { status }) : json(status, answer);
}

/** A surface as a handler for the server: its endpoints, each read, called and answered in the same way. */
export function serveSurface<More extends object>(
  options: SurfaceOptions<More>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const endpoint of options.endpoints) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(endpoint.method.toUpperCase(), path, async (context) => {
      const { req, env } = context;
      const answer = await endpoint.handle({
        ...(await options.more(context, endpoint)),
        params: req.param() as Record<string, string>,
        query: readQuery(context, endpoint),
        body: await readBody(context, endpoint),
        header: (name) => req.header(name),
        request: env.incoming,
        response: env.outgoing,
      });
      return responseOf(answer, endpoint.status ?? 200);
    });
  }
  app.notFound((context) => {
    const { method, path } = context.req;
    return options.refusal(new ParleyError("not_found", `nothing at ${method} ${path}${options.directions}`), context);
  });
  app.onError(async (thrown, context) => {
    const { method, path } = context.req;
    const elsewhere = isParleyError(thrown) ? elsewhereOf(context.env.incoming, thrown) : undefined;
    if (elsewhere && isParleyError(thrown)) {
      const unanswered = await elsewhere(thrown);
      return unanswered ? options.refusal(unanswered, context) : RESPONSE_ALREADY_SENT;
    }
    const response = options.refusal(thrown, context);
    if (response.status === 500) options.logger.error({ err: thrown, method, path }, "a request failed");
    return response;
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
