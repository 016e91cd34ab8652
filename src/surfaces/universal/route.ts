import type { z } from "zod";
import type { Endpoint, Handle, Method } from "../http/endpoint.ts";

/** An answer of server-sent events; `stream` is the data of each. */
export interface EventStreamAnswer {
  stream: z.ZodType;
}

export function isStream(answer: Route["answer"]): answer is EventStreamAnswer {
  return answer !== undefined && "stream" in answer;
}

/** One operation: the same description serves the router, the checks and the OpenAPI document. */
export interface Route extends Endpoint {
  summary: string;
  /** The group that the document lists it in. */
  tag?: string;
  status: number;
  answer?: z.ZodType | EventStreamAnswer;
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

/** Names the group of some routes. */
export function tagged(tag: string, routes: readonly Route[]): Route[] {
  return routes.map((route) => ({ ...route, tag }));
}

export const get = define("get");
export const post = define("post");
export const put = define("put");
export const patch = define("patch");
export const remove = define("delete");
