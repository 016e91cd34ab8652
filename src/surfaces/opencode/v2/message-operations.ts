import { z } from "zod";
import type { SessionHead } from "../../../log/contract.ts";
import { Answer, WRITTEN } from "../../http/endpoint.ts";
import type { Surface } from "../context.ts";
import { tagged } from "../errors.ts";
import { get, type Operation } from "../operation.ts";
import { cursorsOf, type MessageCursor, type Order, readCursor, wrongCursor } from "./next/cursor.ts";
import { type Found, NextHistory } from "./next/history.ts";
import { followSession, historyPage } from "./next/session-stream.ts";

const number = z
  .string()
  .regex(/^\d{1,15}$/, "expected a whole number from 0")
  .transform(Number);
const upTo = (most: number): z.ZodType<number | undefined> =>
  number.pipe(z.number().min(1).max(most)).optional() as unknown as z.ZodType<number | undefined>;

const pageQuery = z.looseObject({
  limit: upTo(200),
  order: z.enum(["asc", "desc"]).optional(),
  cursor: z.string().optional(),
});
const historyQuery = z.looseObject({ limit: upTo(100), after: number.optional() });
const eventQuery = z.looseObject({ after: number.optional() });

const DEFAULT_LIMIT = 50;
const path = "/api/session/{sessionID}";

/** The messages that a page has, in its order. */
async function pageOf(
  history: NextHistory,
  head: SessionHead,
  limit: number,
  order: Order,
  cursor?: MessageCursor,
): Promise<Found[]> {
  const older = cursor ? (cursor.direction === "next") === (order === "desc") : order === "desc";
  const found = older ? await history.older(head, limit, cursor) : await history.newer(head, limit, cursor);
  if (!found) throw wrongCursor(`the message ${cursor?.id} of this cursor is gone: begin again without a cursor`);
  return order === "desc" ? found : found.toReversed();
}

/** Messages, history and events of sessions in the newer form. */
export function v2MessageOperations(surface: Surface): Operation[] {
  const { gateway } = surface;
  const history = new NextHistory(gateway.log);
  return [
    get(
      `${path}/message`,
      "v2.session.messages",
      { note: "text that is being streamed is in it; a prompt that waits is not", query: pageQuery },
      async ({ params, query: { limit = DEFAULT_LIMIT, order, cursor: text } }) => {
        if (text !== undefined && order !== undefined)
          throw wrongCursor("expected a cursor or an order, got both: a cursor goes on in its own order");
        const cursor = text === undefined ? undefined : readCursor(text);
        const head = await gateway.head(params.sessionID);
        const direction = cursor?.order ?? order ?? "desc";
        const page = await pageOf(history, head, limit, direction, cursor);
        return { data: page.map(({ message }) => message), cursor: cursorsOf(page, direction) };
      },
    ),
    get(`${path}/message/{messageID}`, "v2.session.message", async ({ params: { sessionID, messageID } }) => {
      const message = await history.message(await gateway.head(sessionID), messageID);
      if (message) return { data: message };
      throw noMessage(sessionID, messageID);
    }),
    get(`${path}/context`, "v2.session.context", { note: "since the last summary" }, async ({ params }) => ({
      data: await history.context(await gateway.head(params.sessionID)),
    })),
    get(
      `${path}/history`,
      "v2.session.history",
      { note: "numbers grow and skip", query: historyQuery },
      async ({ params, query: { after = 0, limit = DEFAULT_LIMIT } }) => {
        await gateway.head(params.sessionID);
        const { events, hasMore } = await historyPage(gateway.log, params.sessionID, after, limit);
        return new Answer(`{"data":[${events.join(",")}],"hasMore":${hasMore}}`);
      },
    ),
    get(
      `${path}/event`,
      "v2.session.events",
      { note: "the number of each event is its `id:`; goes on after `Last-Event-ID`, too", query: eventQuery },
      async ({ params, query, header, request, response }) => {
        const { state } = await gateway.head(params.sessionID);
        const last = number.safeParse(header("last-event-id"));
        const after = last.success ? last.data : (query.after ?? 0);
        followSession(surface, { request, response, session: state.id, after }).catch((error: unknown) => {
          surface.logger.error({ err: error }, "an event stream could not be opened");
          response.destroy();
        });
        return WRITTEN;
      },
    ),
  ];
}

export function noMessage(sessionID: string, messageID: string): Error {
  const message = `no message ${messageID} in session ${sessionID}`;
  return tagged(404, "MessageNotFoundError", message, { sessionID, messageID });
}
