import { z } from "zod";
import { daysIn, isDay } from "../../core/spending/days.ts";
import { DIMENSIONS } from "../../core/spending/report.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { DEFAULT_ROWS, MOST_ROWS } from "../../gateway/usage.ts";
import { get, type Route } from "./route.ts";

const day = z.string().refine(isDay, "expected a day such as 2026-01-31");

const usageQuery = z.object({
  by: z.enum(DIMENSIONS).default("day").describe("what the rows are; a session has its sub-agents with it"),
  from: day.optional().describe("the first day"),
  to: day.optional().describe("the last day"),
  tz: z
    .string()
    .refine((zone) => daysIn(zone) !== undefined, "expected a time zone such as Europe/Berlin")
    .default("UTC")
    .describe("the time zone of the days, by its IANA name"),
  directory: z.string().optional().describe("only of this directory"),
  agent: z.string().optional().describe("only of this agent, with its sub-agents"),
  limit: z.coerce.number().int().min(1).max(MOST_ROWS).default(DEFAULT_ROWS).describe("the most rows"),
});

const sum = {
  turns: z.number().describe("a turn that asked several models is in the row of each"),
  untoldTurns: z.number().describe("turns of which no tokens were told: they count as none"),
  tokens: z.looseObject({
    input: z.number().describe("without the part that a cache had"),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    output: z.number().describe("with the reasoning"),
    reasoning: z.number().describe("a part of the output"),
  }),
  cost: z
    .looseObject({
      usd: z.number().nullable().describe("US dollars, the sum of what is known; null where nothing is"),
      source: z
        .enum(["agent", "table", "mixed", "unknown", "none"])
        .describe(
          "`agent`: as agents told it; `table`: computed from the prices; `mixed`: both, or some turns are unknown; `none`: there is no turn",
        ),
      unknownTurns: z.number().describe("turns with a part whose cost nobody knows"),
    })
    .meta({ id: "UsageCost" }),
};

const usageSum = z.looseObject(sum).meta({ id: "UsageSum" });

const usageRow = z
  .looseObject({
    key: z.string().describe("the day, directory, agent, model or session; `unknown` for turns without a known model"),
    label: z.string().optional().describe("a session's title"),
    deleted: z.boolean().optional().describe("the session is gone"),
    ...sum,
  })
  .meta({ id: "UsageRow" });

const usageAnswer = z.looseObject({
  by: z.enum(DIMENSIONS),
  tz: z.string(),
  rows: z.array(usageRow).describe("days in their order; else the most expensive first, then those with most tokens"),
  more: z.number().describe("rows that were left out: of days the oldest, else the cheapest; the total has them"),
  total: usageSum,
  prices: z.looseObject({
    date: z.string().describe("the day of Parley's table"),
    own: z.string().optional().describe("the day of the user's own, which counts before it"),
  }),
});

export function usageRoutes(gateway: Gateway): Route[] {
  return [
    get("/v1/usage", "getUsage", {
      summary: "Tokens and cost of all turns that ended, by day, directory, agent, model or session.",
      query: usageQuery,
      answer: usageAnswer,
      errors: [503],
      handle: ({ query }) => gateway.usage(query),
    }),
  ];
}
