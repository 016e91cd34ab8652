import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { isParleyError } from "../../core/errors.ts";
import { breathe } from "../http/breathe.ts";
import { firstIssues, repeatedName, shortWords } from "../http/query.ts";
import type { Surface } from "./context.ts";
import { namedDirectory } from "./directory.ts";
import { badRequest, errorAnswer, notFound, OpencodeError } from "./errors.ts";
import { Answer, type Operation, WRITTEN } from "./operation.ts";
import { operations } from "./operations.ts";
import { errorAnswer2 } from "./v2/errors.ts";

type Env = { Bindings: HttpBindings };

/** The API also answers below this path, for a proxy that cannot give it a port's root. */
const PREFIX = "/opencode";

/** The newer half of the API has errors of another form. */
const NEWER = "/api/";

function parse<T>(schema: z.ZodType<T>, value: unknown, kind: "Payload" | "Query"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const words = z.prettifyError(new z.ZodError(firstIssues(result.error.issues))).replaceAll("\n", " ");
  throw badRequest(shortWords(words), kind);
}

/** The query, in which each parameter is once. */
function queryOf(context: Context<Env>): Record<string, string> {
  const repeated = repeatedName(context.req.queries());
  if (repeated === undefined) return context.req.query();
  const message = `expected the query parameter ${shortWords(repeated)} once, got it several times: send the one you mean`;
  throw badRequest(message, "Query");
}

/** A body that is not there is an empty one: clients leave it out where every field is optional. */
async function bodyOf(context: Context<Env>, schema: z.ZodType | undefined): Promise<unknown> {
  if (!schema) return undefined;
  const text = await context.req.text();
  try {
    const body = parse(schema, text === "" ? {} : JSON.parse(text), "Payload");
    await breathe(text);
    return body;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw badRequest(`expected JSON as the body, got "${text.slice(0, 60)}"`);
    throw thrown;
  }
}

async function serve(context: Context<Env>, operation: Operation, surface: Surface): Promise<Response> {
  const raw = queryOf(context);
  const named = namedDirectory({
    query: raw.directory ?? raw["location[directory]"],
    header: context.req.header("x-opencode-directory"),
  });
  const directory = named ?? surface.defaultDirectory;
  surface.gateway.roots.assert(directory);
  const answer = await operation.handle({
    params: context.req.param() as Record<string, string>,
    query: operation.query ? parse(operation.query, raw, "Query") : {},
    body: await bodyOf(context, operation.body),
    directory,
    directoryNamed: named !== undefined,
    header: (name) => context.req.header(name),
    request: context.env.incoming,
    response: context.env.outgoing,
  });
  if (answer === WRITTEN) return RESPONSE_ALREADY_SENT;
  if (answer instanceof Answer)
    return new Response(answer.body as BodyInit | null, { status: answer.status, headers: answer.headers });
  const { status = 200 } = operation;
  if (status === 204) return new Response(null, { status });
  return json(status, answer);
}

function json(status: number, value: unknown): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

function refusal(thrown: unknown, path: string): Response {
  const { status, body } = path.startsWith(NEWER) ? errorAnswer2(thrown, path) : errorAnswer(thrown);
  return json(status, body);
}

/** OpenCode's API as a handler for the listener. */
export function createOpencode(surface: Surface): (request: IncomingMessage, response: ServerResponse) => void {
  const app = new Hono<Env>();
  for (const operation of operations(surface)) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method.toUpperCase(), path, (context) => serve(context, operation, surface));
  }
  app.notFound((context) => {
    const { method, path } = context.req;
    return refusal(
      notFound(`nothing at ${method} ${path}: /doc lists OpenCode's paths, /openapi.json Parley's own`),
      path,
    );
  });
  app.onError((thrown, context) => {
    const { method, path } = context.req;
    if (!(thrown instanceof OpencodeError) && !isParleyError(thrown))
      surface.logger.error({ err: thrown, method, path }, "a request failed");
    return refusal(thrown, path);
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    const { url = "/" } = request;
    if (url === PREFIX || url.startsWith(`${PREFIX}/`) || url.startsWith(`${PREFIX}?`)) {
      const rest = url.slice(PREFIX.length);
      request.url = rest.startsWith("/") ? rest : `/${rest}`;
    }
    void listener(request, response);
  };
}
