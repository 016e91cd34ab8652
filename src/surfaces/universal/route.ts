import type { z } from "zod";
import type { Endpoint, Handle, Method } from "../http/endpoint.ts";

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

/** A route without its name. Its status is 200 and it has no errors of its own unless told. */
interface Facts<P extends string, Q extends z.ZodObject, B extends z.ZodType>
  extends Partial<Pick<Route, "bodyOptional" | "status" | "answer" | "also" | "errors">> {
  summary: string;
  query?: Q;
  body?: B;
  handle: Handle<unknown, P, Q, B>;
}

/** Makes routes of one method. The types of a handler follow from the path and the schemas. */
function define(method: Method) {
  return <P extends string, Q extends z.ZodObject, B extends z.ZodType>(
    path: P,
    id: string,
    facts: Facts<P, Q, B>,
  ): Route => ({ method, path, id, status: 200, errors: [], ...facts }) as unknown as Route;
}

export const get = define("get");
export const post = define("post");
export const put = define("put");
export const patch = define("patch");
export const remove = define("delete");
