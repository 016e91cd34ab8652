import { z } from "zod";
import { WRITTEN } from "../../http/endpoint.ts";
import { isOpencodeProgram } from "../client-kind.ts";
import type { Surface } from "../context.ts";
import { get, type Operation, type OperationCall } from "../operation.ts";
import type { Variant } from "./commit.ts";
import { parseStreamCursor } from "./cursor.ts";
import { dialectOf } from "./dialect.ts";
import type { SnapshotScope } from "./snapshot.ts";

const streamQuery = z.object({
  dialect: z.string().optional(),
  after: z.string().optional(),
  snapshot: z.enum(["true", "false"]).optional(),
});

const newerQuery = streamQuery.pick({ after: true });

type StreamCall = OperationCall<z.output<typeof streamQuery>>;

type Form = Pick<Variant, "global" | "newer" | "directory">;

function openStream(surface: Surface, call: StreamCall, form: Form, scope: SnapshotScope | "none"): typeof WRITTEN {
  const { request, response, query } = call;
  const cursor = parseStreamCursor(call.header("last-event-id") ?? query.after);
  const variant = { ...form, dialect: dialectOf(query.dialect) };
  const snapshot = query.snapshot === "false" ? "none" : scope;
  const tui = form.global && isOpencodeProgram(call.header("user-agent")) ? call.directory : undefined;
  surface.hub.open({ request, response, variant, cursor, snapshot, tui }).catch((error: unknown) => {
    surface.logger.error({ err: error }, "an event stream could not be opened");
    response.destroy();
  });
  return WRITTEN;
}

export function eventOperations(surface: Surface): Operation[] {
  const here = "with `id:` on each frame and replay on `Last-Event-ID`; begins with the busy sessions";
  const everywhere = "as `/event`, of all directories; begins with the sessions that changed lately";
  const newer = "of all directories, with `id:` and `Last-Event-ID`; begins with nothing but `server.connected`";
  return [
    get("/event", "event.subscribe", { note: here, query: streamQuery }, async (call) =>
      openStream(surface, call, { global: false, directory: call.directory }, "working"),
    ),
    get("/global/event", "global.event", { note: everywhere, query: streamQuery }, async (call) =>
      openStream(surface, call, { global: true, directory: null }, "recent"),
    ),
    get("/api/event", "v2.event.subscribe", { note: newer, query: newerQuery }, async (call) =>
      openStream(surface, call, { global: false, newer: true, directory: null }, "none"),
    ),
  ];
}
