import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { withoutAdditions } from "./opencode/additions.ts";

/** The answers of some operations, as OpenCode's own description has them. */
interface Described {
  responses: Record<string, Record<string, z.core.JSONSchema.JSONSchema | null>>;
  $defs: Record<string, z.core.JSONSchema.JSONSchema>;
}

const golden = new URL("../golden/opencode/", import.meta.url);

export function goldenJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, golden), "utf8")) as T;
}

const { responses, $defs } = goldenJson<Described>("responses.json");
const schemas = new Map<string, z.ZodType>();

function schemaFor(operation: string, status: number): z.ZodType | undefined {
  const described = responses[operation]?.[String(status)];
  if (!described) return undefined;
  const key = `${operation} ${status}`;
  const schema = schemas.get(key) ?? z.fromJSONSchema({ ...described, $defs });
  schemas.set(key, schema);
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
    if (status < 300) assertDescribed(operation, status, body);
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

/** An answer is what OpenCode's own description says, where it is one of those that are kept here. */
export function assertDescribed(operation: string, status: number, body: unknown): void {
  const schema = schemaFor(operation, status);
  if (!schema) return;
  const parsed = schema.safeParse(withoutAdditions(operation, body));
  if (parsed.success) return;
  const where = `${operation} -> ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  assert.fail(`${where}: ${z.prettifyError(parsed.error)}`);
}

/** Whether there is a description to hold an answer against. */
export function isDescribed(operation: string): boolean {
  return responses[operation] !== undefined;
}
