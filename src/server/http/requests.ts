import type { IncomingMessage, ServerResponse } from "node:http";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { Passing } from "../cluster/passing.ts";
import { asksForPage, CONSOLE } from "../console/paths.ts";
import { admit, type Doorkeeper, pathOf } from "../guards/admission.ts";
import { type BodyTimes, checkDeclaredLength, readBody } from "../guards/body-limit.ts";
import { checkShape } from "../guards/body-shape.ts";
import { checkContentType, hasBody } from "../guards/content-type.ts";
import { watchResponse } from "../logging/access-log.ts";
import type { ServerSeries } from "../logging/metrics.ts";
import { withoutToken } from "../logging/redact.ts";
import type { Mounts } from "./mounts.ts";
import type { Probes } from "./probes.ts";
import { type RequestContext, requestId } from "./request-context.ts";
import { sendProblem } from "./respond.ts";

/** The parts that requests and upgrades share. */
export interface Hall {
  door: Doorkeeper;
  mounts: Mounts;
  series: ServerSeries;
  log: Logger;
  /** Passes requests on that belong to other nodes, where there are any. */
  passing?: Passing | undefined;
  bodyLimit: number;
  bodyTimes?: BodyTimes;
  draining(): boolean;
  now(): number;
}

export function contextOf(request: IncomingMessage, log: Logger): RequestContext {
  const given = request.headers["x-request-id"];
  const id = requestId(typeof given === "string" ? given : undefined);
  const remote = request.socket.remoteAddress ?? "";
  return { id, path: pathOf(request.url ?? "/"), remote, authenticated: false, log: log.child({ request: id }) };
}

export function shuttingDown(): ParleyError {
  return new ParleyError("shutting_down", "this server is shutting down: try again when it is back");
}

/** The body is read here, so that its limit holds for every surface. */
async function serve(hall: Hall, request: IncomingMessage, response: ServerResponse, context: RequestContext) {
  if (hall.draining()) throw shuttingDown();
  const { headers, method = "GET" } = request;
  const declared = headers["content-length"];
  const refusal = checkContentType(method, headers) ?? checkDeclaredLength(declared, hall.bodyLimit);
  if (refusal) throw refusal;
  const loading = hall.mounts.handler(context.path);
  if (!loading) throw new ParleyError("not_found", `nothing is served at ${context.path}: see /openapi.json`);
  // A load that fails while the body is still coming is heard below, where it is awaited.
  loading.catch(() => {});
  if (hasBody(headers)) {
    if (headers.expect !== undefined) response.writeContinue();
    context.body = await readBody(request, hall.bodyLimit, hall.bodyTimes);
    const misshapen = checkShape(context.body);
    if (misshapen) throw misshapen;
    Object.assign(request, { rawBody: context.body });
  }
  const handler = await loading;
  hall.passing?.prepare(request, response, context);
  await handler(request, response, context);
}

function fail(response: ServerResponse, context: RequestContext, thrown: unknown): void {
  if (response.destroyed || response.req.socket.destroyed) {
    context.log.debug({ err: thrown }, "the client left before its answer");
    return;
  }
  if (!isParleyError(thrown)) context.log.error({ err: thrown }, "a request failed");
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const detail = `something went wrong here: the log has it under ${context.id}`;
  sendProblem(response, isParleyError(thrown) ? thrown : new ParleyError("internal", detail), context.id);
}

/** A browser at `/` is led to the console, whoever it is; a program there gets something else. */
function leadToConsole(response: ServerResponse): void {
  const vary = [response.getHeader("vary"), "Accept"].filter(Boolean).join(", ");
  response.writeHead(302, { location: CONSOLE, vary, "cache-control": "no-cache", "content-length": 0 }).end();
}

export function requestListener(hall: Hall, probes: Probes) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const context = contextOf(request, hall.log);
    const admission = admit(request, hall.door, hall.now());
    request.url = withoutToken(request.url ?? "/");
    watchResponse(response, request.url, context.log, hall.series);
    response.setHeader("x-request-id", context.id);
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    if (hall.draining()) response.setHeader("connection", "close");
    if (admission.kind === "preflight") {
      response.writeHead(204).end();
      return;
    }
    if (admission.kind === "refused") {
      hall.series.refused.inc({ by: admission.by });
      sendProblem(response, admission.error, context.id);
      return;
    }
    context.authenticated = admission.authenticated;
    if (admission.hop) context.hop = true;
    const answer = async (): Promise<void> => {
      context.path = pathOf(request.url ?? "/");
      if (hall.door.console && asksForPage(request)) leadToConsole(response);
      else await (probes(response, context) ?? serve(hall, request, response, context));
    };
    try {
      await (hall.passing ? hall.passing.inPlace(request, answer) : answer());
    } catch (thrown) {
      fail(response, context, thrown);
    }
  };
}
