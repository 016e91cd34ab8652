import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";

/** What a handler gets: everything parsed by the schemas that the operation names. */
export interface Call<Query, Body> {
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** The directory that the request is about: of its query, its header, or the server's own. */
  directory: string;
  /** Whether the request itself named that directory. */
  directoryNamed: boolean;
  header(name: string): string | undefined;
  /** For operations that write their answer themselves. */
  request: IncomingMessage;
  response: ServerResponse;
}

/** An answer that the handler has written, or is writing, to the response by itself. */
export const WRITTEN = Symbol("written");

/** An answer that is not plain JSON with the operation's usual status. */
export class Answer {
  readonly status: number;
  readonly body: string | Buffer | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string | Buffer | null, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** JSON with headers of its own, such as the cursor of a next page. */
export function jsonWith(value: unknown, headers: Record<string, string>, status = 200): Answer {
  return new Answer(status, JSON.stringify(value), { "content-type": "application/json", ...headers });
}

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One operation of OpenCode's API. */
export interface Operation {
  method: Method;
  /** With parameters in braces, as OpenAPI has them. */
  path: string;
  /** OpenCode's own id of it. */
  id: string;
  /** How much of it there is here: all of it, an empty but valid answer, or a refusal that says why. */
  support: "real" | "empty" | "refused";
  /** For the table in the documentation: what it does here, where that is not plain. */
  note?: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** 200 unless said otherwise. */
  status?: number;
  handle(call: Call<unknown, unknown>): Promise<unknown>;
}

interface Typed<Q extends z.ZodObject, B extends z.ZodType> extends Omit<Operation, "query" | "body" | "handle"> {
  query?: Q;
  body?: B;
  handle(call: Call<z.output<Q>, z.output<B>>): Promise<unknown>;
}

/** Ties a handler's types to its schemas. */
export function operation<Q extends z.ZodObject, B extends z.ZodType>(typed: Typed<Q, B>): Operation {
  return typed as unknown as Operation;
}
