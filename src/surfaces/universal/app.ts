import type { HttpBindings } from "@hono/node-server";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { PROBLEM_TYPE, problemOf } from "../../core/problem.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { breathe } from "../http/breathe.ts";
import { firstIssues, repeatedName, shortWords } from "../http/query.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import { agentRoutes } from "./agent-routes.ts";
import { askRoutes } from "./ask-routes.ts";
import { eventRoutes, RawJson } from "./event-routes.ts";
import { EventStreams } from "./event-stream.ts";
import { openApi } from "./openapi.ts";
import { promptRoutes } from "./prompt-routes.ts";
import { type Route, WRITTEN } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { trustRoutes } from "./trust-routes.ts";
import { workRoutes } from "./work-routes.ts";

export interface UniversalOptions {
  gateway: Gateway;
  clients: SseClients;
  version: string;
  logger: Logger;
  /** The directory of a session that names none. */
  defaultDirectory: string;
}

type Env = { Bindings: HttpBindings };

export function universalRoutes({ gateway, clients, defaultDirectory }: UniversalOptions): Route[] {
  return [
    ...agentRoutes(gateway, defaultDirectory),
    ...sessionRoutes(gateway, defaultDirectory),
    ...promptRoutes(gateway),
    ...workRoutes(gateway),
    ...trustRoutes(gateway, defaultDirectory),
    ...askRoutes(gateway),
    ...eventRoutes(gateway, new EventStreams(gateway, clients)),
  ];
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = firstIssues(result.error.issues);
  const words = z.prettifyError(new z.ZodError(issues)).replaceAll("\n", " ");
  throw new ParleyError("invalid", `the ${what} is not as expected: ${shortWords(words)}`, {
    issues: issues.map(({ path, message }) => ({ path: shortWords(path.join(".")), message: shortWords(message) })),
  });
}

/** The query, in which each parameter is once. */
function queryOf(context: Context<Env>): Record<string, string> {
  const repeated = repeatedName(context.req.queries());
  if (repeated === undefined) return context.req.query();
  const message = `expected the query parameter ${shortWords(repeated)} once, got it several times: send the one you mean`;
  throw new ParleyError("bad_request", message);
}

async function bodyOf(context: Context<Env>, route: Route): Promise<unknown> {
  if (!route.body) return undefined;
  const text = await context.req.text();
  if (text === "" && route.bodyOptional) return parse(route.body, {}, "body");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ParleyError(
      "bad_request",
      `expected JSON as the body, got ${text === "" ? "nothing" : `"${text.slice(0, 60)}"`}`,
      {},
      cause,
    );
  }
  await breathe(text);
  const body = parse(route.body, value, "body");
  await breathe(text);
  return body;
}

async function serve(context: Context<Env>, route: Route): Promise<Response> {
  const answer = await route.handle({
    params: context.req.param() as Record<string, string>,
    query: route.query ? parse(route.query, queryOf(context), "query") : {},
    body: await bodyOf(context, route),
    header: (name) => context.req.header(name),
    request: context.env.incoming,
    response: context.env.outgoing,
  });
  if (answer === WRITTEN) return RESPONSE_ALREADY_SENT;
  if (route.status === 204) return new Response(null, { status: 204 });
  const text = answer instanceof RawJson ? answer.text : JSON.stringify(answer);
  return new Response(text, { status: route.status, headers: { "content-type": "application/json" } });
}

/** The universal API as a handler for the listener. */
export function createUniversal(options: UniversalOptions): ReturnType<typeof getRequestListener> {
  const routes = universalRoutes(options);
  const app = new Hono<Env>();
  let document: string | undefined;
  app.get("/openapi.json", () => {
    document ??= JSON.stringify(openApi(routes, options.version));
    return new Response(document, { headers: { "content-type": "application/json" } });
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) => serve(context, route));
  }
  app.notFound((context) => {
    const error = new ParleyError(
      "not_found",
      `nothing at ${context.req.method} ${context.req.path}; /openapi.json lists what there is`,
    );
    return problemResponse(error, context);
  });
  app.onError((error, context) => {
    if (isParleyError(error)) return problemResponse(error, context);
    const { method, path } = context.req;
    options.logger.error({ err: error, method, path }, "a request failed");
    return problemResponse(new ParleyError("internal", "this is a defect of Parley; its log has more"), context);
  });
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

function problemResponse(error: ParleyError, context: Context<Env>): Response {
  const id = context.env.outgoing.getHeader("x-request-id");
  const problem = problemOf(error, typeof id === "string" ? id : undefined);
  return new Response(JSON.stringify(problem), { status: error.status, headers: { "content-type": PROBLEM_TYPE } });
}
