import { z } from "zod";
import { role } from "../../core/events/items.ts";
import { FOUND_KINDS } from "../../core/search/text.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { get, type Route } from "./route.ts";
import { searchAnswer, toSearchQuery } from "./search-page.ts";

const MOST_HITS = 100;

const kind = z.enum(FOUND_KINDS);

const searchQuery = z.object({
  q: z
    .string()
    .describe(
      'words that must all be there, "in a row", -without; the last one may be unfinished; any text is a query',
    ),
  session: z.string().optional().describe("only this session and those of its sub-agents"),
  directory: z.string().optional().describe("only sessions of this directory"),
  agent: z.string().optional().describe("only sessions of this agent"),
  kind: kind.optional(),
  after: z
    .string()
    .regex(/^\d{1,15}$/, "expected the `next` of the page before")
    .optional()
    .describe("`next` of the page before"),
  limit: z.coerce.number().int().min(1).max(MOST_HITS).default(20),
});

const hit = z
  .looseObject({
    session: z.string(),
    seq: z.number().describe("the number of the event"),
    turn: z.string().optional(),
    item: z.string().optional(),
    kind,
    role: role.optional().describe("of a message"),
    time: z.number(),
    title: z.string().optional().describe("the session's, as its agent and its directory"),
    agent: z.string(),
    directory: z.string(),
    root: z.string().optional().describe("of a sub-agent's session: the topmost session"),
    snippet: z
      .array(z.looseObject({ text: z.string(), hit: z.boolean() }))
      .describe("the text around the first hit, in one line"),
  })
  .meta({ id: "SearchHit" });

const searchResult = z.looseObject({
  hits: z.array(hit).describe("newest first; fewer than the limit, or none, may come before the last page"),
  next: z.string().nullable().describe("`after` of the next page"),
  indexing: z
    .looseObject({ done: z.number(), of: z.number() })
    .optional()
    .describe(
      "the index is being made: so many events of so many are in it, and of the others only the newest are found",
    ),
});

export function searchRoutes(gateway: Gateway): Route[] {
  return [
    get("/v1/search", "search", {
      summary: "Search what was said and done in all sessions, sub-agents' too, newest first.",
      query: searchQuery,
      answer: searchResult,
      errors: [400],
      handle: async ({ query }) => searchAnswer(await gateway.log.search(toSearchQuery(query))),
    }),
  ];
}
