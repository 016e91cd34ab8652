import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import { type Admission, admit, pathOf } from "../guards/admission.ts";
import { withoutToken } from "../logging/redact.ts";
import type { RequestContext, UpgradeHandler } from "./request-context.ts";
import { contextOf, type Hall, shuttingDown } from "./requests.ts";
import { endSocket, rawProblem } from "./respond.ts";

export function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

function findHandler(hall: Hall, request: IncomingMessage, path: string): Promise<UpgradeHandler> {
  if (hall.draining()) throw shuttingDown();
  const loading = isWebSocket(request) ? hall.mounts.upgrade(path) : undefined;
  if (!loading) throw new ParleyError("not_found", `no WebSocket is served at ${path}`);
  return loading;
}

/** A ticket stands in for the token, but not for a Host or an Origin. */
function byTicket(hall: Hall, admission: Admission, path: string, target: string): boolean {
  return admission.kind === "refused" && admission.by === "auth" && hall.mounts.takesTicket(path, target);
}

/** The taking of an upgrade by its surface here, or by the node that the surface names. */
async function take(hall: Hall, request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext) {
  const handler = await findHandler(hall, request, context.path);
  try {
    await handler(request, socket, head, context);
  } catch (thrown) {
    if (!hall.passing || !isParleyError(thrown) || thrown.code !== "wrong_node" || context.hop) throw thrown;
    await hall.passing.upgrade(request, socket, head, context, thrown);
  }
}

/** An upgrade passes the same door as a request. `open` holds the sockets that the HTTP server knows no more. */
export function upgradeListener(hall: Hall, open: Set<Duplex>) {
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const context = contextOf(request, hall.log);
    const admission = admit(request, hall.door, hall.now());
    request.url = withoutToken(request.url ?? "/");
    open.add(socket);
    // A peer may leave at any time, also while its surface is still being loaded.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    const answer = async (): Promise<void> => {
      const target = request.url ?? "/";
      context.path = pathOf(target);
      const ticket = byTicket(hall, admission, context.path, target);
      if (admission.kind === "refused" && !ticket) {
        hall.series.refused.inc({ by: admission.by });
        throw admission.error;
      }
      context.authenticated = !ticket;
      if (admission.kind === "in" && admission.hop) context.hop = true;
      await take(hall, request, socket, head, context);
      context.log.info({ path: request.url }, "upgraded");
    };
    try {
      await (hall.passing ? hall.passing.inPlace(request, answer) : answer());
    } catch (thrown) {
      if (!isParleyError(thrown)) context.log.error({ err: thrown }, "an upgrade failed");
      const error = isParleyError(thrown) ? thrown : new ParleyError("internal", "something went wrong here");
      context.log.info({ path: request.url, status: error.status }, "upgrade refused");
      endSocket(socket, rawProblem(error, context.id, admission.headers));
    }
  };
}
