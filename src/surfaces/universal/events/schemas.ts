import { z } from "zod";
import { eventSchemas } from "../../../core/events/event.ts";
import { loose } from "../../../core/events/values.ts";
import { isId } from "../../../core/ids.ts";
import { session } from "../schemas.ts";

const EVENTS_LIMIT = 2_000;
const MOST_SESSIONS = 200;

const limit = z.coerce.number().int().min(1).max(EVENTS_LIMIT).default(500);
const native = z.stringbool().default(false).describe("with the agent's own lines");

export const eventQuery = z.object({
  after: z.string().default("0").describe("a number, or an event's id"),
  limit,
  native,
});

export const sessionEventQuery = z
  .object({
    after: z.string().optional().describe("a number, or an event's id; 0 unless told"),
    before: z
      .string()
      .optional()
      .describe("in place of `after`, backwards: a number, an event's id, or `latest` for the newest events"),
    limit,
    native,
  })
  .refine(({ after, before }) => after === undefined || before === undefined, "expected either after or before");

export const streamQuery = z.object({
  after: z.string().optional().describe("a number, an event's id, or `latest`; the header Last-Event-ID wins"),
  native: z.stringbool().default(false),
});

/** Sessions by their ids, or none. */
const deltas = z
  .string()
  .transform((text) => (text === "none" ? [] : text.split(",")))
  .refine((ids) => ids.every((id) => isId("session", id)), "expected the ids of sessions with commas, or none")
  .refine((ids) => ids.length <= MOST_SESSIONS, `expected at most ${MOST_SESSIONS} sessions`)
  .transform((ids): ReadonlySet<string> => new Set(ids));

export const allStreamQuery = z.object({
  ...streamQuery.shape,
  deltas: deltas
    .optional()
    .describe("the sessions whose `item.delta` come, by their ids with commas, or `none`; those of all unless told"),
});

export const event = z.union(Object.values(eventSchemas) as unknown as [z.ZodType, z.ZodType]).meta({ id: "Event" });

export const gap = loose("Gap", {
  after: z.number().describe("the cursor that was asked for"),
  first: z.number().describe("the first number that is kept"),
  snapshot: session.describe("the session as it was just before that number"),
});

export const streamMessage = z
  .union([event, gap])
  .meta({ id: "StreamMessage", description: "an event; or a gap, in a message whose `event:` is gap" });

export const eventPage = loose("EventPage", {
  events: z.array(event),
  next: z.number().describe("the cursor for the next page"),
  more: z.boolean(),
  gap: gap.optional(),
});

export const backPage = loose("EventPageBack", {
  events: z.array(event).describe("in their order, oldest first"),
  previous: z.number().nullable().describe("the `before` of the next older page; null where nothing older is kept"),
  gap: gap.optional().describe("events that are missing before the first one of the page"),
});

/** A page by `after`, or one by `before`. */
export const anyPage = z.union([eventPage, backPage]);
