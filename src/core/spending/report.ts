import type { Tokens } from "../events/values.ts";
import { addTokens } from "../usage.ts";
import type { DayOf } from "./days.ts";
import { BILLION, costOf, type PriceTable, priceOf } from "./prices.ts";
import { type Share, sharesOf } from "./shares.ts";
import type { Spent } from "./spent.ts";

export const DIMENSIONS = ["day", "directory", "agent", "model", "session"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The model of turns of which nobody said it. */
export const UNKNOWN_MODEL = "unknown";

/**
 * `agent`: all of it as agents told it; `table`: all computed from the table of prices; `mixed`: both, or some turns whose
 * cost nobody knows; `unknown`: of no turn; `none`: there is no turn.
 */
export type CostSource = "agent" | "table" | "mixed" | "unknown" | "none";

export interface UsageSum {
  turns: number;
  /** Turns of which no tokens were told: they count as none. */
  untoldTurns: number;
  tokens: Required<Pick<Tokens, "input" | "cacheRead" | "cacheWrite" | "output" | "reasoning">>;
  /** `usd` is the sum of what is known, null where nothing is. `unknownTurns` have a part whose cost nobody knows. */
  cost: { usd: number | null; source: CostSource; unknownTurns: number };
}

export interface UsageRow extends UsageSum {
  key: string;
}

/** `label`: a session's title; `deleted`: the session is gone, and its title with it. */
export interface LabelledRow extends UsageRow {
  label?: string;
  deleted?: boolean;
}

export interface UsageQuery {
  /** By day unless told. */
  by?: Dimension;
  /** Days such as 2026-01-31, both included. */
  from?: string;
  to?: string;
  /** The time zone of the days, by its IANA name; UTC unless told. */
  tz?: string;
  directory?: string;
  agent?: string;
  /** The most rows. */
  limit?: number;
}

export interface UsageAnswer {
  by: Dimension;
  tz: string;
  rows: LabelledRow[];
  /** Rows that were left out; the total has them. */
  more: number;
  total: UsageSum;
  /** The day of the table of prices, and of the user's own, which counts before it. */
  prices: { date: string; own?: string };
}

/** A sum that grows. */
class Sum {
  turns = 0;
  untold = 0;
  tokens: Tokens = { input: 0, output: 0 };
  /** In billionths of a dollar. */
  cost = 0;
  unknown = 0;
  readonly sources = new Set<"agent" | "table">();

  /** Adds a turn, or its part that some models had. */
  add(shares: readonly Priced[]): void {
    this.turns += 1;
    if (shares.some(({ tokens }) => !tokens)) this.untold += 1;
    if (shares.some(({ price }) => !price)) this.unknown += 1;
    for (const { tokens, price } of shares) {
      if (tokens) this.tokens = addTokens(this.tokens, tokens);
      if (!price) continue;
      this.cost += price.cost;
      this.sources.add(price.source);
    }
  }

  told(): UsageSum {
    const { turns, untold, unknown, sources } = this;
    const { input, output, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = this.tokens;
    const usd = sources.size === 0 && turns > 0 ? null : this.cost / BILLION;
    return {
      turns,
      untoldTurns: untold,
      tokens: { input, cacheRead, cacheWrite, output, reasoning },
      cost: { usd, source: this.source(), unknownTurns: unknown },
    };
  }

  private source(): CostSource {
    const [one, other] = this.sources;
    if (this.turns === 0) return "none";
    if (one === undefined) return "unknown";
    return other !== undefined || this.unknown > 0 ? "mixed" : one;
  }
}

interface Priced extends Share {
  price?: { cost: number; source: "agent" | "table" };
}

function priced(share: Share, table: PriceTable): Priced {
  const { cost, tokens, model } = share;
  if (cost !== undefined) return { ...share, price: { cost: Math.round(cost * BILLION), source: "agent" } };
  const price = tokens && model !== undefined ? priceOf(table, model) : undefined;
  return tokens && price ? { ...share, price: { cost: costOf(tokens, price), source: "table" } } : share;
}

export interface ReportOptions {
  by: Dimension;
  prices: PriceTable;
  dayOf: DayOf;
  /** Days, both included. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface Report {
  rows: UsageRow[];
  /** Rows that were left out. */
  more: number;
  total: UsageSum;
}

/** Adds up what turns have spent. */
export class UsageReport {
  private readonly options: ReportOptions;
  private readonly sums = new Map<string, Sum>();
  private readonly total = new Sum();

  constructor(options: ReportOptions) {
    this.options = options;
  }

  add(spent: Spent): void {
    const { by, prices, dayOf, from, to } = this.options;
    const day = dayOf(spent.time);
    if ((from !== undefined && day < from) || (to !== undefined && day > to)) return;
    const shares = sharesOf(spent).map((share) => priced(share, prices));
    this.total.add(shares);
    if (by !== "model") return this.sumOf(by === "day" ? day : keyOf(spent, by)).add(shares);
    for (const share of shares) this.sumOf(share.model ?? UNKNOWN_MODEL).add([share]);
  }

  /** Days in their order, the newest `limit`; else the most expensive first, then those with the most tokens. */
  told(limit: number): Report {
    const rows = [...this.sums].map(([key, sum]): UsageRow => ({ key, ...sum.told() }));
    const isDays = this.options.by === "day";
    rows.sort(isDays ? (a, b) => (a.key < b.key ? -1 : 1) : byCost);
    const more = Math.max(0, rows.length - limit);
    return { rows: isDays ? rows.slice(more) : rows.slice(0, limit), more, total: this.total.told() };
  }

  private sumOf(key: string): Sum {
    const sum = this.sums.get(key) ?? new Sum();
    this.sums.set(key, sum);
    return sum;
  }
}

function keyOf({ agent, directory, root }: Spent, by: "directory" | "agent" | "session"): string {
  if (by === "session") return root;
  return by === "agent" ? agent : directory;
}

const allTokens = ({ tokens: { input, cacheRead, cacheWrite, output } }: UsageSum): number =>
  input + cacheRead + cacheWrite + output;

function byCost(a: UsageRow, b: UsageRow): number {
  const cost = (b.cost.usd ?? -1) - (a.cost.usd ?? -1);
  return cost || allTokens(b) - allTokens(a) || (a.key < b.key ? -1 : 1);
}
