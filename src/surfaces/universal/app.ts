import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { PROBLEM_TYPE, problemOf } from "../../core/problem.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Answer, type Endpoint } from "../http/endpoint.ts";
import type { RequestContext } from "../http/read.ts";
import { json, serveSurface } from "../http/serve.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import { agentRoutes } from "./agent-routes.ts";
import { askRoutes } from "./ask-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { eventStreams } from "./event-stream.ts";
import { openApi } from "./openapi.ts";
import { promptRoutes } from "./prompt-routes.ts";
import type { Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import { trustRoutes } from "./trust-routes.ts";
import { workRoutes } from "./work-routes.ts";

export interface UniversalOptions {
  gateway: Gateway;
  clients: SseClients;
  version: string;
  logger: Logger;
  /** The directory of a session that names none. */
  defaultDirectory: string;
}

export function universalRoutes({ gateway, clients, defaultDirectory }: UniversalOptions): Route[] {
  return [
    ...agentRoutes(gateway, defaultDirectory),
    ...sessionRoutes(gateway, defaultDirectory),
    ...promptRoutes(gateway),
    ...workRoutes(gateway),
    ...trustRoutes(gateway, defaultDirectory),
    ...askRoutes(gateway),
    ...eventRoutes(gateway, eventStreams(gateway, clients)),
  ];
}

function documentOf(routes: readonly Route[], version: string): Endpoint {
  let document: string | undefined;
  const handle = async (): Promise<Answer> => {
    document ??= JSON.stringify(openApi(routes, version));
    return new Answer(document);
  };
  return { method: "get", path: "/openapi.json", id: "openapi", handle };
}

function problem(thrown: unknown, { env }: RequestContext): Response {
  const error = isParleyError(thrown)
    ? thrown
    : new ParleyError("internal", "this is a defect of Parley; its log has more");
  const id = env.outgoing.getHeader("x-request-id");
  return json(error.status, problemOf(error, typeof id === "string" ? id : undefined), PROBLEM_TYPE);
}

/** The universal API as a handler for the server. */
export function createUniversal(options: UniversalOptions): ReturnType<typeof serveSurface> {
  const routes = universalRoutes(options);
  return serveSurface({
    endpoints: [documentOf(routes, options.version), ...routes],
    more: () => ({}),
    refusal: problem,
    directions: "; /openapi.json lists what there is",
    logger: options.logger,
  });
}
