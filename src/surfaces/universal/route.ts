import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";

/** What a handler gets: everything parsed by the schemas that the route names. */
export interface Call<Query, Body> {
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  header(name: string): string | undefined;
  /** For routes that write their answer themselves. */
  request: IncomingMessage;
  response: ServerResponse;
}

/** An answer that the handler has written, or is writing, to the response by itself. */
export const WRITTEN = Symbol("written");

/** One operation: the same description serves the router, the checks and the OpenAPI document. */
export interface Route {
  method: "get" | "post" | "put" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI has them. */
  path: string;
  id: string;
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  status: number;
  answer?: z.ZodType | "event-stream";
  /** Further kinds of success, by status. */
  also?: Readonly<Record<number, z.ZodType>>;
  /** Further answers, by status. */
  errors: readonly number[];
  handle(call: Call<unknown, unknown>): Promise<unknown>;
}

interface Typed<Q extends z.ZodObject, B extends z.ZodType> extends Omit<Route, "query" | "body" | "handle"> {
  query?: Q;
  body?: B;
  handle(call: Call<z.output<Q>, z.output<B>>): Promise<unknown>;
}

/** Ties a handler's types to its schemas. */
export function route<Q extends z.ZodObject, B extends z.ZodType>(typed: Typed<Q, B>): Route {
  return typed as unknown as Route;
}
