import type { ServerResponse } from "node:http";
import type { Logger } from "../../core/logger.ts";
import { methodLabel, type ServerSeries } from "./metrics.ts";

const READS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);
const TARGET_LENGTH = 1024;

/** One line and one count for each request, when it is over. `target` carries no token any more. */
export function watchResponse(response: ServerResponse, target: string, log: Logger, series: ServerSeries): void {
  const started = performance.now();
  const { socket, method } = response.req;
  const before = socket.bytesWritten;
  series.inFlight(1);
  response.once("close", () => {
    const ms = performance.now() - started;
    series.inFlight(-1);
    series.seconds.observe(ms / 1000);
    // A response that was never begun has the status 200 by default; what the client saw is a closed connection.
    const status = response.headersSent ? response.statusCode : 499;
    series.requests.inc({ method: methodLabel(method), status });
    const bytes = socket.bytesWritten - before;
    const fields = { method, path: target.slice(0, TARGET_LENGTH), status, ms: Math.round(ms * 10) / 10, bytes };
    // Clients read all the time: only changes and refusals are worth a line to most.
    if (READS.has(method) && status < 400) log.debug(fields, "request");
    else log.info(fields, "request");
  });
}
