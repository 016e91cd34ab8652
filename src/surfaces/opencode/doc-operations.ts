import { z } from "zod";
import { pathParameters } from "../http/endpoint.ts";
import { OPENCODE_VERSION, type Surface } from "./context.ts";
import { get, type Operation } from "./operation.ts";

const UNIVERSAL_DOCUMENT = "/openapi.json";

type Described = Record<string, unknown>;

function schemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function parametersOf({ path, query }: Operation): object[] {
  const { properties = {}, required = [] } = (query ? schemaOf(query) : {}) as {
    properties?: Described;
    required?: string[];
  };
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema };
  });
  return [...pathParameters(path), ...inQuery];
}

function described(one: Operation): Described {
  const { id, note, support, body, status = 200 } = one;
  const parameters = parametersOf(one);
  return {
    operationId: id,
    ...(note === undefined ? {} : { description: note }),
    "x-support": support,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { content: { "application/json": { schema: schemaOf(body) } } } } : {}),
    responses:
      support === "refused"
        ? { "4XX": { description: "what is wrong" }, "501": { description: "why not, and what to do instead" } }
        : { [status]: { description: "as OpenCode answers" }, "4XX": { description: "what is wrong" } },
  };
}

/** Describes the operations, each with how much of it there is here. */
function openApiOf(operations: readonly Operation[], version: string): Described {
  const paths: Record<string, Described> = {};
  for (const one of operations) paths[one.path] = { ...paths[one.path], [one.method]: described(one) };
  return {
    openapi: "3.1.0",
    info: {
      title: "OpenCode's API, served by Parley",
      version: OPENCODE_VERSION,
      description: `Parley ${version}. x-support says of each operation whether it is real, an empty but valid answer, or refused. Parley's own API is described at ${UNIVERSAL_DOCUMENT}.`,
    },
    paths,
  };
}

export function docOperations({ version }: Surface, others: readonly Operation[]): Operation[] {
  const note = "OpenAPI 3.1 of what is served here";
  return [get("/doc", "doc", { note }, async () => openApiOf(others, version))];
}
