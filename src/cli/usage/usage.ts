import type { UsageAnswer } from "../../client/index.ts";
import { present } from "../../core/json/fields.ts";
import { daysIn, isDay } from "../../core/spending/days.ts";
import type { Dimension } from "../../core/spending/report.ts";
import { MOST_ROWS } from "../../gateway/usage.ts";
import { withStore } from "../access/open-store.ts";
import { configure, directoryOf } from "../context.ts";
import { usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { tell } from "../tell.ts";
import { usageCsv } from "./csv.ts";
import { usageNotes, usageTable } from "./text.ts";

export interface UsageFlags extends CommonFlags {
  by: Dimension;
  from?: string;
  to?: string;
  tz?: string;
  dir?: string;
  agent?: string;
  limit?: string;
  csv?: boolean;
}

function checkFlags({ from, to, tz, limit }: UsageFlags): void {
  const wrong = [from, to].find((day) => day !== undefined && !isDay(day));
  if (wrong !== undefined) throw usageError(`expected a day such as 2026-11-01, got ${wrong}`);
  if (tz !== undefined && !daysIn(tz)) throw usageError(`expected a time zone such as Europe/Berlin, got ${tz}`);
  if (limit !== undefined && !(/^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= MOST_ROWS))
    throw usageError(`expected a number from 1 to ${MOST_ROWS} after --limit, got ${limit}`);
}

export async function showUsage(flags: UsageFlags): Promise<string> {
  checkFlags(flags);
  const { by, from, to, agent, limit, dir } = flags;
  const { settings } = await configure({ dataDir: flags.dataDir });
  const tz = flags.tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const directory = dir === undefined ? undefined : directoryOf(dir);
  const most = limit === undefined ? undefined : Number(limit);
  const query = { by, tz, ...present({ from, to, agent, directory, limit: most }) };
  const answer: UsageAnswer = await withStore(settings, (store) => store.usage(query));
  if (flags.json) return `${JSON.stringify(answer)}\n`;
  if (flags.csv) return usageCsv(answer);
  if (answer.total.turns === 0) {
    const asked = [from, to, agent, dir].some((one) => one !== undefined);
    tell(asked ? "no turn that ended fits" : 'no turn has ended yet: parley run "…" makes one');
    return "";
  }
  for (const note of usageNotes(answer)) tell(note);
  return usageTable(answer);
}
