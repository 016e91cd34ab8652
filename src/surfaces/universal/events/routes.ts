import type { Gateway } from "../../../gateway/gateway.ts";
import type { EventRecord } from "../../../log/contract.ts";
import { Answer, WRITTEN } from "../../http/endpoint.ts";
import { get, type Route } from "../route.ts";
import { type Gap, startIn, startInAll } from "./cursor.ts";
import { pageBack, pageOf } from "./page.ts";
import {
  allStreamQuery,
  anyPage,
  event,
  eventPage,
  eventQuery,
  sessionEventQuery,
  streamMessage,
  streamQuery,
} from "./schemas.ts";
import type { EventStreams } from "./stream.ts";
import { wireJson } from "./wire.ts";

/** The page as text: the events are stored as JSON and go out as they are. */
function pageText(
  records: readonly EventRecord[],
  native: boolean,
  page: { next: number; more: boolean; gap?: Gap } | { previous: number | null; gap?: Gap },
): Answer {
  const events = records.map((record) => wireJson(record, native)).join(",");
  return new Answer(`{"events":[${events}],${JSON.stringify(page).slice(1)}`);
}

export function eventRoutes(gateway: Gateway, open: EventStreams): Route[] {
  return [
    get("/v1/sessions/{session}/events", "readEvents", {
      summary: "A session's events after a cursor, or with `before` those before one, in their order.",
      query: sessionEventQuery,
      answer: anyPage,
      errors: [400, 404],
      handle: async ({ params: { session }, query: { after = "0", before, ...query } }) => {
        const { records, ...page } =
          before === undefined
            ? await pageOf(gateway, session, after, query)
            : await pageBack(gateway, session, before, query);
        return pageText(records, query.native, page);
      },
    }),
    get("/v1/events", "readAllEvents", {
      summary: "The events of all sessions after a position, in the order in which they were stored.",
      query: eventQuery,
      answer: eventPage,
      errors: [400],
      handle: async ({ query }) => {
        const { after } = await startInAll(gateway, query.after);
        const records = await gateway.log.readAll({ after, limit: query.limit, native: query.native });
        const more = records.length === query.limit;
        return pageText(records, query.native, { next: records.at(-1)?.position ?? after, more });
      },
    }),
    get("/v1/sessions/{session}/stream", "streamEvents", {
      summary: "A session's events as they happen, from the first one or from a cursor on (server-sent events).",
      query: streamQuery,
      answer: { stream: streamMessage },
      errors: [400, 404],
      handle: async ({ params, query, header, request, response }) => {
        const session = params.session;
        const start = await startIn(gateway, session, header("last-event-id") ?? query.after ?? "0");
        open({ request, response, session, start, native: query.native });
        return WRITTEN;
      },
    }),
    get("/v1/stream", "streamAllEvents", {
      summary: "The events of all sessions as they happen, from now on or from a cursor on (server-sent events).",
      query: allStreamQuery,
      answer: { stream: event },
      errors: [400],
      handle: async ({ query, header, request, response }) => {
        const start = await startInAll(gateway, header("last-event-id") ?? query.after ?? "latest");
        open({ request, response, session: null, start, native: query.native, deltas: query.deltas });
        return WRITTEN;
      },
    }),
  ];
}
