import type { LabelledRow, UsageAnswer } from "../../src/client/index.ts";

/** The kinds of tokens, in the order in which bars and tables have them. */
export const TOKEN_KINDS = ["input", "cacheWrite", "cacheRead", "output"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export const TOKEN_NAMES: Readonly<Record<TokenKind, string>> = {
  input: "input",
  cacheWrite: "cache write",
  cacheRead: "cache read",
  output: "output",
};

/** Reasoning is a part of the output, and is no further kind. */
export function tokensOf({ tokens }: Pick<LabelledRow, "tokens">, kind: TokenKind): number {
  return tokens[kind] ?? 0;
}

export function allTokens(row: Pick<LabelledRow, "tokens">): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + tokensOf(row, kind), 0);
}

/** A bar: its parts as shares of the longest bar, from 0 to 1. */
export interface Bar {
  key: string;
  name: string;
  parts: { kind: TokenKind; share: number }[];
}

/** A name for people: the last parts of a path, the title of a session. */
function nameOf({ key, label, deleted }: LabelledRow): string {
  return label ?? (deleted ? `${key} (deleted)` : key || "not known");
}

/** The days from the first to the last one, those without turns too: a plot over time has no holes. */
export function everyDay(first: string, last: string): string[] {
  const days: string[] = [];
  const end = Date.parse(`${last}T00:00:00Z`);
  for (let day = Date.parse(`${first}T00:00:00Z`); day <= end && days.length < 400; day += 86_400_000)
    days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}

export function barsOf({ by, rows }: Pick<UsageAnswer, "by" | "rows">): Bar[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const days = rows.map(({ key }) => key).sort();
  const keys = by === "day" ? everyDay(days[0] ?? "", days.at(-1) ?? "") : rows.map(({ key }) => key);
  const longest = Math.max(1, ...rows.map(allTokens));
  return keys.map((key) => {
    const row = known.get(key);
    return {
      key,
      name: row ? nameOf(row) : key,
      parts: TOKEN_KINDS.map((kind) => ({ kind, share: row ? tokensOf(row, kind) / longest : 0 })),
    };
  });
}

/** The cost in words. What is not known is said, and is never 0. */
export function costWords({ cost }: Pick<LabelledRow, "cost">, dollars: (usd: number) => string): string {
  if (cost.usd === null) return "unknown";
  const said = dollars(cost.usd);
  return cost.unknownTurns > 0 ? `${said} + unknown` : said;
}

/** The day so many days before another. */
export function dayBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
}
