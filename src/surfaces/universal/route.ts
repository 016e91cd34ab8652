import type { z } from "zod";
import type { Endpoint, Typed } from "../http/endpoint.ts";

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

/** Ties a handler's types to its path and its schemas. */
export function route<P extends string, Q extends z.ZodObject, B extends z.ZodType>(
  typed: Typed<Route, P, Q, B>,
): Route {
  return typed as unknown as Route;
}
