import type { IncomingMessage, ServerResponse } from "node:http";
import { type RequestContext, rawQuery, Unreadable } from "../http/read.ts";
import { json, serveSurface } from "../http/serve.ts";
import type { Surface } from "./context.ts";
import { namedDirectory } from "./directory.ts";
import { badRequest, namedAnswer } from "./errors.ts";
import type { Located } from "./operation.ts";
import { operations } from "./operations.ts";
import { taggedAnswer } from "./v2/errors.ts";

/** The API also answers below this path, for a proxy that cannot give it a port's root. */
const PREFIX = "/opencode";

/** The newer half of the API has errors of another form. */
const NEWER = "/api/";

function locate(context: RequestContext, { gateway, defaultDirectory }: Surface): Located {
  const query = rawQuery(context);
  const named = namedDirectory({
    query: query.directory ?? query["location[directory]"],
    header: context.req.header("x-opencode-directory"),
  });
  const directory = named ?? defaultDirectory;
  gateway.roots.assert(directory);
  return { directory, directoryNamed: named !== undefined };
}

function refusal(thrown: unknown, { req: { path } }: RequestContext): Response {
  const error =
    thrown instanceof Unreadable ? badRequest(thrown.reason, thrown.part === "query" ? "Query" : "Payload") : thrown;
  const { status, body } = path.startsWith(NEWER) ? taggedAnswer(error, path) : namedAnswer(error);
  return json(status, body);
}

/** OpenCode's API as a handler for the server. */
export function createOpencode(
  surface: Surface,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handler = serveSurface({
    endpoints: operations(surface),
    more: (context) => locate(context, surface),
    refusal,
    directions: ": /doc lists OpenCode's paths, /openapi.json Parley's own",
    logger: surface.logger,
  });
  return (request, response) => {
    const { url = "/" } = request;
    if (url === PREFIX || url.startsWith(`${PREFIX}/`) || url.startsWith(`${PREFIX}?`)) {
      const rest = url.slice(PREFIX.length);
      request.url = rest.startsWith("/") ? rest : `/${rest}`;
    }
    return handler(request, response);
  };
}
