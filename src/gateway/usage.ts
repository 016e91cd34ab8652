import { setImmediate as nextTurn } from "node:timers/promises";
import { ParleyError } from "../core/errors.ts";
import { present } from "../core/json/fields.ts";
import { boundsOf, daysIn, isDay } from "../core/spending/days.ts";
import type { PriceTable } from "../core/spending/prices.ts";
import { type LabelledRow, type UsageAnswer, type UsageQuery, UsageReport } from "../core/spending/report.ts";
import type { LogReader } from "../log/contract.ts";

/** Turns added up before others have their turn. */
const PAGE = 1_000;
export const DEFAULT_ROWS = 100;
export const MOST_ROWS = 1_000;

type Reads = Pick<LogReader, "spent" | "head">;

function checked({ from, to, tz = "UTC" }: UsageQuery): ReturnType<typeof daysIn> & {} {
  const wrong = [from, to].find((day) => day !== undefined && !isDay(day));
  if (wrong !== undefined) throw new ParleyError("invalid", `expected a day such as 2026-01-31, got "${wrong}"`);
  const dayOf = daysIn(tz);
  if (!dayOf) throw new ParleyError("invalid", `expected a time zone such as Europe/Berlin, got "${tz}"`);
  return dayOf;
}

/** A session's row with its title. One that is deleted has none any more. */
async function labelled(log: Reads, row: LabelledRow): Promise<LabelledRow> {
  const head = await log.head(row.key);
  return head ? { ...row, ...present({ label: head.state.title }) } : { ...row, deleted: true };
}

/** The spending of turns, added up. */
export async function usageOf(log: Reads, prices: PriceTable, query: UsageQuery): Promise<UsageAnswer> {
  const { by = "day", from, to, tz = "UTC", agent, directory, limit = DEFAULT_ROWS } = query;
  const report = new UsageReport({ by, prices, dayOf: checked(query), from, to });
  for (let after = 0; ; await nextTurn()) {
    const page = await log.spent({ after, limit: PAGE, agent, directory, ...boundsOf(from, to) });
    for (const spent of page) report.add(spent);
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) break;
  }
  const { rows: found, more, total } = report.told(Math.min(limit, MOST_ROWS));
  const rows: LabelledRow[] = [];
  for (const row of found) rows.push(by === "session" ? await labelled(log, row) : row);
  return { by, tz, rows, more, total, prices: present({ date: prices.date, own: prices.own }) };
}
