import { z } from "zod";
import { WRITTEN } from "../../http/endpoint.ts";
import { isOpencodeProgram } from "../client-kind.ts";
import type { Surface } from "../context.ts";
import { get, type Operation, type OperationCall } from "../operation.ts";
import { parseStreamCursor } from "./cursor.ts";
import { dialectOf } from "./dialect.ts";
import type { SnapshotScope } from "./snapshot.ts";

const streamQuery = z.object({
  dialect: z.string().optional(),
  after: z.string().optional(),
  snapshot: z.enum(["true", "false"]).optional(),
});

type StreamCall = OperationCall<z.output<typeof streamQuery>>;

function openStream(surface: Surface, call: StreamCall, global: boolean, scope: SnapshotScope): typeof WRITTEN {
  const { request, response, query, directory } = call;
  const cursor = parseStreamCursor(call.header("last-event-id") ?? query.after);
  const variant = { global, dialect: dialectOf(query.dialect), directory: global ? null : directory };
  const snapshot = query.snapshot === "false" ? "none" : scope;
  const tui = global && isOpencodeProgram(call.header("user-agent")) ? directory : undefined;
  surface.hub.open({ request, response, variant, cursor, snapshot, tui }).catch((error: unknown) => {
    surface.logger.error({ err: error }, "an event stream could not be opened");
    response.destroy();
  });
  return WRITTEN;
}

export function eventOperations(surface: Surface): Operation[] {
  const here = "with `id:` on each frame and replay on `Last-Event-ID`; begins with the busy sessions";
  const everywhere = "as `/event`, of all directories; begins with the sessions that changed lately";
  return [
    get("/event", "event.subscribe", { note: here, query: streamQuery }, async (call) =>
      openStream(surface, call, false, "working"),
    ),
    get("/global/event", "global.event", { note: everywhere, query: streamQuery }, async (call) =>
      openStream(surface, call, true, "recent"),
    ),
  ];
}
