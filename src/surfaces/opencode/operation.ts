import type { z } from "zod";
import type { Call, Endpoint, Handle, Method } from "../http/endpoint.ts";

/** Where a request belongs. */
export interface Located {
  /** The directory that the request is about: of its query, its header, or the server's own. */
  directory: string;
  /** Whether the request itself named that directory. */
  directoryNamed: boolean;
}

export type OperationCall<Query = unknown, Body = unknown, Name extends string = string> = Call<Query, Body, Name> &
  Located;

/** One operation of OpenCode's API, under OpenCode's own id. */
export interface Operation extends Endpoint<Located> {
  /** How much of it there is here: all of it, an empty but valid answer, or a refusal that says why. */
  support: "real" | "empty" | "refused";
  /** For the table in the documentation: what it does here, where that is not plain. */
  note?: string;
}

interface Facts<Q extends z.ZodObject, B extends z.ZodType> {
  note?: string;
  query?: Q;
  body?: B;
  status?: number;
}

interface Define {
  <P extends string>(path: P, id: string, handle: Handle<Located, P, z.ZodObject, z.ZodType>): Operation;
  <P extends string, Q extends z.ZodObject, B extends z.ZodType>(
    path: P,
    id: string,
    facts: Facts<Q, B>,
    handle: Handle<Located, P, Q, B>,
  ): Operation;
}

/** Clients leave a body out where every field is optional, so that an absent body is an empty one. */
function define(method: Method): Define {
  return (path: string, id: string, ...rest: unknown[]): Operation => {
    const [handle, facts] = rest.toReversed() as [Operation["handle"], object?];
    return { method, path, id, support: "real", bodyOptional: true, ...facts, handle };
  };
}

export const get = define("get");
export const post = define("post");
export const put = define("put");
export const patch = define("patch");
export const remove = define("delete");
