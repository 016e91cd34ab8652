import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { opencodeOperations } from "../../scripts/opencode-table.ts";
import { openApiOf, readAnswers } from "../../src/surfaces/opencode/doc-operations.ts";

const golden = new URL("../golden/opencode/", import.meta.url);

export function goldenJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, golden), "utf8")) as T;
}

type Schema = z.core.JSONSchema.JSONSchema;

/** The parts of Parley's own document that answers are held against. */
export interface ApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface Fields {
  properties?: object;
}

export interface DescribedOperation {
  operationId: string;
  "x-support": string;
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: {
    required: boolean;
    content: { "application/json": { schema: Fields & { anyOf?: Fields[]; oneOf?: Fields[] } } };
  };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The document as `GET /doc` gives it. */
export const document = openApiOf(
  opencodeOperations().filter(({ path }) => path !== "/doc"),
  "test",
  await readAnswers(),
) as unknown as ApiDocument;

const asDefinition = (value: unknown): Schema =>
  JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/")) as Schema;
const $defs = asDefinition(document.components.schemas) as unknown as Record<string, Schema>;
const schemas = new Map<string, z.ZodType>();

/** The operation of a method and a path, which has parameters or values in their place. */
function operationOf(key: string): DescribedOperation | undefined {
  const [method = "", path = ""] = key.split(" ");
  return document.paths[path]?.[method.toLowerCase()];
}

/** The document's schema of an answer: undefined for a status without a body, and for answers that it does not describe. */
function schemaFor(key: string, status: number, type: string): z.ZodType | undefined {
  const { responses = {} } = operationOf(key) ?? {};
  const response = responses[status] ?? responses[`${String(status)[0]}XX`];
  assert.ok(!operationOf(key) || response, `the document has no answer ${status} of ${key}`);
  const described = response?.content?.[type]?.schema;
  if (!described) return undefined;
  const name = `${key} ${status} ${type}`;
  const schema = schemas.get(name) ?? z.fromJSONSchema({ ...asDefinition(described), $defs } as Schema);
  schemas.set(name, schema);
  return schema;
}

export interface Reply<T> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface Sent {
  body?: unknown;
  /** A body as it is, in place of JSON. */
  raw?: string;
  headers?: Record<string, string>;
  /** Says which operation it is, where the path has parameters; its answer is then held against OpenCode's description. */
  operation?: string;
}

/** A plain client of OpenCode's API. */
export class OpencodeClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async call<T>(method: string, path: string, sent: Sent = {}): Promise<Reply<T>> {
    const json = sent.body === undefined ? undefined : JSON.stringify(sent.body);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...sent.headers },
      body: sent.raw ?? json,
    });
    const text = await response.text();
    const { status, headers } = response;
    const type = headers.get("content-type") ?? "";
    assert.doesNotMatch(type, /html/, `${method} ${path} answers with a page`);
    const body = (type.includes("json") ? JSON.parse(text) : text) as T;
    const operation = sent.operation ?? `${method} ${path.split("?", 1)[0]}`;
    if (type.includes("json")) assertDescribed(operation, status, body, type.split(";", 1)[0]);
    return { status, headers, body, text };
  }

  /** The body of an answer that must have this status. */
  async expect<T>(status: number, method: string, path: string, sent?: Sent): Promise<T> {
    const reply = await this.call<T>(method, path, sent);
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text.slice(0, 500)}`);
    return reply.body;
  }

  get<T>(path: string, sent?: Sent): Promise<T> {
    return this.expect(200, "GET", path, sent);
  }
}

/** An answer is what the document says. */
export function assertDescribed(operation: string, status: number, body: unknown, type = "application/json"): void {
  const schema = schemaFor(operation, status, type);
  if (!schema) return;
  const parsed = schema.safeParse(body);
  if (parsed.success) return;
  const where = `${operation} -> ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  assert.fail(`${where}: ${z.prettifyError(parsed.error)}`);
}

/** Whether there is a description to hold an answer against. */
export function isDescribed(operation: string): boolean {
  return operationOf(operation) !== undefined;
}
