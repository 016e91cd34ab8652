import type { LabelledRow, UsageAnswer, UsageSum } from "../../client/index.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, table } from "../output/table.ts";

/** The table cuts what a terminal has no room for. */
const LONGEST = 1_000;

const NUMBERS = ["TURNS", "INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "COST"];

/** Less is not shown as nothing. */
const LEAST = 0.0001;

const grouped = new Intl.NumberFormat("en-US");

/** `$1,234.50`, with four digits for less than a dollar. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < LEAST) return `<$${LEAST}`;
  const digits = usd > 0 && usd < 1 ? 4 : 2;
  const text = new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    usd,
  );
  return `$${text}`;
}

/** `~`: computed from the table of prices, all or a part; `+`: and more that nobody knows. */
export function costText({ usd, source, unknownTurns }: UsageSum["cost"]): string {
  if (usd === null) return "unknown";
  const computed = source === "table" || source === "mixed" ? "~" : "";
  return `${computed}${dollars(usd)}${unknownTurns > 0 ? "+" : ""}`;
}

function numbersOf({ turns, tokens, cost }: UsageSum): string[] {
  const { input, cacheRead, cacheWrite, output } = tokens;
  return [...[turns, input, cacheRead, cacheWrite, output].map((count) => grouped.format(count)), costText(cost)];
}

/** Texts of one width, aligned at their ends. */
function aligned(name: string, texts: readonly string[]): string[] {
  const width = Math.max(name.length, ...texts.map((text) => text.length));
  return [name, ...texts].map((text) => text.padStart(width));
}

const titleOf = ({ label = "", deleted }: LabelledRow): string => (deleted ? "(deleted)" : safeLine(label, LONGEST));

/** The rows and their total. */
export function usageTable({ by, rows, total }: UsageAnswer): string {
  const columns = NUMBERS.map((name, at) =>
    aligned(
      name,
      [...rows, total].map((sum) => numbersOf(sum)[at] ?? ""),
    ),
  );
  const heads: Column[] = columns.map(([name = ""]) => name);
  const isSession = by === "session";
  const first: Column = by === "directory" ? { name: "DIRECTORY", cut: "start" } : by.toUpperCase();
  const title: Column[] = isSession ? [{ name: "TITLE", cut: "end" }] : [];
  const keys = [...rows.map(({ key }) => safeLine(key, LONGEST)), "total"];
  const titles = [...rows.map(titleOf), ""];
  const lines = keys.map((key, at) => [
    key,
    ...columns.map((column) => column[at + 1] ?? ""),
    ...(isSession ? [titles[at] ?? ""] : []),
  ]);
  return table([first, ...heads, ...title], lines);
}

/** Words about the signs in the table, and about what it leaves out. */
export function usageNotes({ rows, more, total, prices }: UsageAnswer): string[] {
  const costs = [...rows, total].map(({ cost }) => costText(cost));
  const { unknownTurns } = total.cost;
  const own = prices.own === undefined ? "" : ` and your own of ${prices.own}`;
  return [
    ...(costs.some((text) => text.startsWith("~"))
      ? [`~ computed, all or a part, from the prices of ${prices.date}${own}; the rest is what agents told`]
      : []),
    ...(unknownTurns > 0
      ? [`${unknownTurns} of ${total.turns} turns have a cost that nobody knows, and are not in the sum`]
      : []),
    ...(total.untoldTurns > 0 ? [`${total.untoldTurns} of ${total.turns} turns told no tokens`] : []),
    ...(more > 0 ? [`${more} more rows, which are in the total: --limit shows more`] : []),
  ];
}
