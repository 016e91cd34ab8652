import type { IncomingMessage, ServerResponse } from "node:http";
import { Unreadable } from "../http/read.ts";
import { json, serveSurface } from "../http/serve.ts";
import type { Surface } from "./context.ts";
import { badRequest, type ErrorAnswer, namedAnswer } from "./errors.ts";
import { locate } from "./locate.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { showRefusal } from "./tui/refusal-toast.ts";
import { taggedAnswer } from "./v2/errors.ts";

/** The API also answers below this path, for a proxy that cannot give it a port's root. */
const PREFIX = "/opencode";

/** The newer half of the API has errors of another form. */
const NEWER = "/api/";

function answerOf(thrown: unknown, path: string): ErrorAnswer {
  const error =
    thrown instanceof Unreadable ? badRequest(thrown.reason, thrown.part === "query" ? "Query" : "Payload") : thrown;
  return path.startsWith(NEWER) ? taggedAnswer(error, path) : namedAnswer(error);
}

/** OpenCode's API as a handler for the server. */
export function createOpencode(
  surface: Surface,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const directories = new WeakMap<IncomingMessage, string>();
  const handler = serveSurface({
    endpoints: operations(surface),
    more: async (context, operation) => {
      const located = await locate(context, operation as Operation, surface);
      directories.set(context.request, located.directory);
      return located;
    },
    refusal: (thrown, { request, response, path }) => {
      const { status, body, message } = answerOf(thrown, path);
      const directory = directories.get(request);
      if (directory !== undefined) showRefusal(surface.bus, { request, response, path, directory, message });
      return json(status, body);
    },
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
