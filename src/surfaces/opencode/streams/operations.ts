import { z } from "zod";
import type { Surface } from "../context.ts";
import { type Call, type Operation, operation, WRITTEN } from "../operation.ts";
import { parseStreamCursor } from "./cursor.ts";
import { dialectOf } from "./dialect.ts";
import type { SnapshotScope } from "./snapshot.ts";

const streamQuery = z.object({
  dialect: z.string().optional(),
  after: z.string().optional(),
  snapshot: z.enum(["true", "false"]).optional(),
});

type StreamCall = Call<z.output<typeof streamQuery>, unknown>;

function openStream(surface: Surface, call: StreamCall, global: boolean, scope: SnapshotScope): typeof WRITTEN {
  const { request, response, query, directory } = call;
  const cursor = parseStreamCursor(call.header("last-event-id") ?? query.after);
  const variant = { global, dialect: dialectOf(query.dialect), directory: global ? null : directory };
  const snapshot = query.snapshot === "false" ? "none" : scope;
  surface.hub.open({ request, response, variant, cursor, snapshot }).catch((error: unknown) => {
    surface.logger.error({ err: error }, "an event stream could not be opened");
    response.destroy();
  });
  return WRITTEN;
}

export function eventOperations(surface: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/event",
      id: "event.subscribe",
      support: "real",
      note: "with `id:` on each frame and replay on `Last-Event-ID`; sessions at work are told first",
      query: streamQuery,
      handle: async (call) => openStream(surface, call, false, "working"),
    }),
    operation({
      method: "get",
      path: "/global/event",
      id: "global.event",
      support: "real",
      note: "as `/event`, of all directories; sessions at work and those that were lately are told first",
      query: streamQuery,
      handle: async (call) => openStream(surface, call, true, "recent"),
    }),
  ];
}
