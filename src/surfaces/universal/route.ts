import type { z } from "zod";
import type { Endpoint, Handle } from "../http/endpoint.ts";

/** One operation: the same description serves the router, the checks and the OpenAPI document. */
export interface Route extends Endpoint {
  summary: string;
  status: number;
  answer?: z.ZodType | "event-stream";
  /** Further kinds of success, by status. */
  also?: Readonly<Record<number, z.ZodType>>;
  /** Further answers, by status. */
  errors: readonly number[];
}

interface Typed<P extends string, Q extends z.ZodObject, B extends z.ZodType>
  extends Omit<Route, "path" | "query" | "body" | "handle"> {
  path: P;
  query?: Q;
  body?: B;
  handle: Handle<unknown, P, Q, B>;
}

/** Ties a handler's types to its path and its schemas. */
export function route<P extends string, Q extends z.ZodObject, B extends z.ZodType>(typed: Typed<P, Q, B>): Route {
  return typed as unknown as Route;
}
