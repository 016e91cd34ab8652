import { z } from "zod";
import { present } from "../../core/json/fields.ts";
import { pathParameters } from "../http/endpoint.ts";
import { PROBES, probePaths } from "./probe-docs.ts";
import { isStream, type Route } from "./route.ts";
import { problem } from "./schemas.ts";

type Json = Record<string, unknown>;
type Refer = (schema: z.ZodType, io: "input" | "output") => Json;

const SECURITY = {
  bearer: { type: "http", scheme: "bearer" },
  basic: { type: "http", scheme: "basic", description: "any user; the password is the token" },
  query: { type: "apiKey", in: "query", name: "auth_token" },
  cookie: { type: "apiKey", in: "cookie", name: "parley_token" },
};

/** Collects schemas that have a name under components, and refers to them. */
function collector(): { refer: Refer; schemas: Json } {
  const schemas: Json = {};
  const refer: Refer = (schema, io) => {
    const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io }) as Json & { $defs?: Json; id?: string };
    for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] = lift(definition);
    const { id, ...body } = json;
    if (typeof id !== "string") return lift(json) as Json;
    schemas[id] = lift(body);
    return { $ref: `#/components/schemas/${id}` };
  };
  return { refer, schemas };
}

/** Definitions that JSON Schema keeps beside the schema live under components in OpenAPI. */
function lift(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lift);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === "id" && typeof inner === "string"))
      .map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" ? inner.replace("#/$defs/", "#/components/schemas/") : lift(inner),
      ]),
  );
}

function parameters(route: Route): object[] {
  const shape = route.query && (z.toJSONSchema(route.query, { io: "input" }) as { properties?: Record<string, Json> });
  const inQuery = Object.entries(shape?.properties ?? {}).map(([name, { description, ...schema }]) =>
    present({ name, in: "query", required: false, schema, description }),
  );
  return [...pathParameters(route.path), ...inQuery];
}

/** The statuses of a route's own refusals, and of those before it: no token, an unreadable body or query, a server that shuts down. */
function errorsOf(route: Route): Set<number> {
  const unreadable = route.body ? [400, 413, 415, 422] : route.query ? [422] : [];
  return new Set([401, ...unreadable, ...route.errors, 503]);
}

/** The body of a good response. Of a stream it is the data of each message: OpenAPI 3.1 has no word for the whole. */
function answerOf({ answer, summary }: Route, refer: Refer): Json {
  if (answer === undefined) return {};
  if (!isStream(answer)) return { content: { "application/json": { schema: refer(answer, "output") } } };
  return {
    description: `${summary} The schema is that of each message's data.`,
    content: { "text/event-stream": { schema: refer(answer.stream, "output") } },
  };
}

function tagsOf(routes: readonly Route[]): object[] {
  const names = new Set([PROBES, ...routes.flatMap(({ tag }) => tag ?? [])]);
  return [...names].map((name) => ({ name }));
}

/** OpenAPI 3.1, made from the very routes that serve. */
export function openApi(routes: readonly Route[], version: string): Json {
  const { refer, schemas } = collector();
  const paths: Record<string, Json> = {};
  const problemAnswer = {
    description: "what went wrong",
    content: { "application/problem+json": { schema: refer(problem, "output") } },
  };
  for (const route of routes) {
    const responses: Json = { [route.status]: present({ description: route.summary, ...answerOf(route, refer) }) };
    for (const [status, answer] of Object.entries(route.also ?? {})) {
      const schema = refer(answer, "output");
      responses[status] = { description: route.summary, content: { "application/json": { schema } } };
    }
    for (const status of errorsOf(route)) responses[status] = problemAnswer;
    const requestBody = route.body && {
      required: !route.bodyOptional,
      content: { "application/json": { schema: refer(route.body, "input") } },
    };
    const { id: operationId, summary, tag } = route;
    const tags = tag === undefined ? undefined : [tag];
    const operation = { operationId, summary, tags, parameters: parameters(route), requestBody, responses };
    paths[route.path] = { ...paths[route.path], [route.method]: present(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Parley", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    tags: tagsOf(routes),
    paths: { ...probePaths(problemAnswer), ...paths },
    components: { securitySchemes: SECURITY, schemas },
  };
}
