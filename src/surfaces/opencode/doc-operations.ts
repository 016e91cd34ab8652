import { readFile } from "node:fs/promises";
import { z } from "zod";
import { Answer, pathParameters } from "../http/endpoint.ts";
import { OPENCODE_VERSION, type Surface } from "./context.ts";
import { get, type Operation } from "./operation.ts";

const UNIVERSAL_DOCUMENT = "/openapi.json";

/** The form of OpenCode's answers; `scripts/opencode-schema.ts` writes it. */
const ANSWERS = new URL("../../../schema/opencode.json", import.meta.url);

type Described = Record<string, unknown>;

interface Answers {
  /** By operation, status and media type. */
  responses: Record<string, Record<string, Record<string, unknown>>>;
  schemas: Described;
}

const ERROR_SCHEMAS = {
  NamedError: {
    type: "object",
    properties: {
      name: { type: "string" },
      data: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    },
    required: ["name", "data"],
    additionalProperties: false,
  },
  TaggedError: {
    type: "object",
    properties: { _tag: { type: "string" }, message: { type: "string" } },
    required: ["_tag", "message"],
  },
  Problem: {
    type: "object",
    properties: { status: { type: "integer" }, code: { type: "string" }, detail: { type: "string" } },
    required: ["status", "detail"],
  },
};

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** An error of either form: both halves have some of the other's. */
const ERROR = {
  "application/json": { schema: { anyOf: [ref("NamedError"), ref("TaggedError")] } },
  "application/problem+json": { schema: ref("Problem") },
};

const SECURITY_SCHEMES = {
  basic: { type: "http", scheme: "basic", description: "any user; the password is the token" },
  bearer: { type: "http", scheme: "bearer" },
};

function schemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

const isNewer = ({ id }: Operation): boolean => id.startsWith("v2.");

/** Where a request belongs: every operation takes it. */
function placeOf(one: Operation): object {
  const directory = { type: "string" };
  if (!isNewer(one)) return { name: "directory", in: "query", required: false, schema: directory };
  const schema = { type: "object", properties: { directory } };
  return { name: "location", in: "query", required: false, schema, style: "deepObject", explode: true };
}

function parametersOf(one: Operation): object[] {
  const { path, query } = one;
  const { properties = {}, required = [] } = (query ? schemaOf(query) : {}) as {
    properties?: Described;
    required?: string[];
  };
  const inQuery = Object.entries(properties)
    .filter(([name]) => name !== "directory" || isNewer(one))
    .map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }));
  return [...pathParameters(path), placeOf(one), ...inQuery];
}

function responsesOf({ method, path, support, status = 200 }: Operation, { responses }: Answers): Described {
  const refused = { description: "what is wrong", content: ERROR };
  if (support === "refused")
    return { "4XX": refused, "501": { description: "why not, and what to do instead", content: ERROR } };
  const content = responses[`${method.toUpperCase()} ${path}`]?.[status] ?? {};
  const shown = Object.entries(content).map(([type, schema]) => [type, { schema }]);
  const good = { description: "as OpenCode answers", ...(shown.length > 0 && { content: Object.fromEntries(shown) }) };
  return { [status]: good, "4XX": refused, "5XX": refused };
}

function described(one: Operation, answers: Answers): Described {
  const { id, note, support, body, bodyOptional = false } = one;
  const content = body && { "application/json": { schema: schemaOf(body) } };
  return {
    operationId: id,
    ...(note === undefined ? {} : { description: note }),
    "x-support": support,
    parameters: parametersOf(one),
    ...(content ? { requestBody: { content, required: !bodyOptional } } : {}),
    responses: responsesOf(one, answers),
  };
}

/** Describes the operations, each with how much of it there is here. */
export function openApiOf(operations: readonly Operation[], version: string, answers: Answers): Described {
  const paths: Record<string, Described> = {};
  for (const one of operations) paths[one.path] = { ...paths[one.path], [one.method]: described(one, answers) };
  return {
    openapi: "3.1.0",
    info: {
      title: "OpenCode's API, served by Parley",
      version: OPENCODE_VERSION,
      description: `Parley ${version}. x-support says of each operation whether it is real, an empty but valid answer, or refused. Parley's own API is described at ${UNIVERSAL_DOCUMENT}.`,
    },
    security: [{ basic: [] }, { bearer: [] }],
    paths,
    components: { schemas: { ...answers.schemas, ...ERROR_SCHEMAS }, securitySchemes: SECURITY_SCHEMES },
  };
}

export async function readAnswers(): Promise<Answers> {
  return JSON.parse(await readFile(ANSWERS, "utf8")) as Answers;
}

export function docOperations({ version }: Surface, others: readonly Operation[]): Operation[] {
  const note = "OpenAPI 3.1 of what is served here, with the form of each answer";
  let document: Promise<string> | undefined;
  const made = async (): Promise<string> => JSON.stringify(openApiOf(others, version, await readAnswers()));
  return [
    get("/doc", "doc", { note }, async () => {
      document ??= made();
      document.catch(() => {
        document = undefined;
      });
      return new Answer(await document);
    }),
  ];
}
