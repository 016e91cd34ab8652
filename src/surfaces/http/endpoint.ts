import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";

/** The names in the braces of a path. */
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** A request, parsed by the schemas of its endpoint. */
export interface Call<Query = unknown, Body = unknown, Name extends string = string> {
  params: Readonly<Record<Name, string>>;
  query: Query;
  body: Body;
  header(name: string): string | undefined;
  /** For endpoints that write their answer themselves. */
  request: IncomingMessage;
  response: ServerResponse;
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One method at one path. `More` is what the calls of a surface carry beside the request itself. */
export interface Endpoint<More = unknown> {
  method: Method;
  /** With parameters in braces, as OpenAPI has them. */
  path: string;
  id: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  /** 200 unless told. */
  status?: number;
  handle(call: Call & More): Promise<unknown>;
}

/** Handles a call whose types follow from the path and the schemas of its endpoint. */
export type Handle<More, Path extends string, Query extends z.ZodObject, Body extends z.ZodType> = (
  call: Call<z.output<Query>, z.output<Body>, NamesIn<Path>> & More,
) => Promise<unknown>;

/** An endpoint of the kind `E`, with the types of its path and its schemas. */
export type Typed<E, P extends string, Q extends z.ZodObject, B extends z.ZodType> = Omit<
  E,
  "path" | "query" | "body" | "handle"
> & { path: P; query?: Q; body?: B; handle: Handle<unknown, P, Q, B> };

/** Ties a handler's types to its path and its schemas. */
export function endpoint<P extends string, Q extends z.ZodObject, B extends z.ZodType>(
  typed: Typed<Endpoint, P, Q, B>,
): Endpoint {
  return typed as unknown as Endpoint;
}

/** The parameters in the path of an endpoint, as OpenAPI describes them. */
export function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

/** The handler has written the answer to the response, or is still writing it. */
export const WRITTEN = Symbol("written");

export const JSON_TYPE = { "content-type": "application/json" };

/** An answer whose text is made already, or that is no JSON, or that has a status or headers of its own. */
export class Answer {
  readonly body: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The endpoint's own unless told. */
  readonly status: number | undefined;

  constructor(body: string | Buffer | null, headers: Record<string, string> = JSON_TYPE, status?: number) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

/** JSON with headers of its own, such as the cursor of a next page. */
export function jsonWith(value: unknown, headers: Record<string, string>): Answer {
  return new Answer(JSON.stringify(value), { ...JSON_TYPE, ...headers });
}

/** Aborts when the client leaves before it has its answer. */
export function hangUp(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  response.once("close", () => left.abort());
  if (response.closed || response.destroyed) left.abort();
  return left.signal;
}
