import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { PROBLEM_TYPE, problemOf } from "../../core/problem.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { CommandHost } from "../../host/contract.ts";
import type { Terminals } from "../../host/terminals/contract.ts";
import { Answer, type Endpoint, endpoint } from "../http/endpoint.ts";
import type { RequestContext } from "../http/read.ts";
import { json, serveSurface } from "../http/serve.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import { agentRoutes } from "./agent-routes.ts";
import { askRoutes } from "./ask-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { commandRoutes } from "./command-routes.ts";
import { type ConsoleLinks, consoleRoutes } from "./console-routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { eventStreams } from "./events/stream.ts";
import { type NodesView, nodeRoutes } from "./node-routes.ts";
import { openApi } from "./openapi.ts";
import { promptRoutes } from "./prompt-routes.ts";
import { type Route, tagged } from "./route.ts";
import { searchRoutes } from "./search-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { trustRoutes } from "./trust-routes.ts";
import { usageRoutes } from "./usage-routes.ts";
import { workRoutes } from "./work-routes.ts";
import { fileRoutes } from "./workspace/file-routes.ts";
import { terminalRoutes } from "./workspace/terminal-routes.ts";

export interface UniversalOptions {
  gateway: Gateway;
  clients: SseClients;
  /** Runs git, for the names of files. */
  commands: CommandHost;
  terminals: Terminals;
  /** The nodes that share the log, where it has several. */
  nodes?: NodesView | undefined;
  consoleLinks: ConsoleLinks;
  version: string;
  /** The address that clients are told; the one by which they called otherwise. */
  advertised?: string;
  logger: Logger;
  /** The directory of a session that names none. */
  defaultDirectory: string;
}

export function universalRoutes(options: UniversalOptions): Route[] {
  const { gateway, clients, nodes, consoleLinks, advertised, defaultDirectory } = options;
  return [
    ...tagged("Agents", agentRoutes(gateway, defaultDirectory)),
    ...tagged("Sessions", sessionRoutes(gateway, defaultDirectory, nodes)),
    ...tagged("Search", searchRoutes(gateway)),
    ...tagged("Prompts", promptRoutes(gateway)),
    ...tagged("Work", workRoutes(gateway)),
    ...tagged("Commands", commandRoutes(gateway)),
    ...tagged("Changes", changeRoutes(gateway)),
    ...tagged("Files", fileRoutes(options)),
    ...tagged("Terminals", terminalRoutes(options)),
    ...tagged("Trust", trustRoutes(gateway, defaultDirectory)),
    ...tagged("Asks", askRoutes(gateway)),
    ...tagged("Usage", usageRoutes(gateway)),
    ...tagged("Nodes", nodeRoutes(nodes)),
    ...tagged("Console", consoleRoutes(consoleLinks, advertised)),
    ...tagged("Events", eventRoutes(gateway, eventStreams(gateway, clients))),
  ];
}

/** The document is made once; only the server's address depends on how the client has called it. */
function documentOf(routes: readonly Route[], { version, advertised }: UniversalOptions): Endpoint {
  let document: ReturnType<typeof openApi> | undefined;
  return endpoint({
    method: "get",
    path: "/openapi.json",
    id: "openapi",
    handle: async ({ header }) => {
      document ??= openApi(routes, version);
      const url = advertised ?? `http://${header("host") ?? "127.0.0.1"}`;
      return new Answer(JSON.stringify({ ...document, servers: [{ url }] }));
    },
  });
}

function problem(thrown: unknown, { response }: RequestContext): Answer {
  const error = isParleyError(thrown)
    ? thrown
    : new ParleyError("internal", "this is a defect of Parley; its log has more");
  const id = response.getHeader("x-request-id");
  return json(error.status, problemOf(error, typeof id === "string" ? id : undefined), PROBLEM_TYPE);
}

/** The universal API as a handler for the server. */
export function createUniversal(options: UniversalOptions): ReturnType<typeof serveSurface> {
  const routes = universalRoutes(options);
  return serveSurface({
    endpoints: [documentOf(routes, options), ...routes],
    more: () => ({}),
    refusal: problem,
    directions: "; /openapi.json lists what there is",
    logger: options.logger,
  });
}
