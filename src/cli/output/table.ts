import { fitted, widthOf } from "./width.ts";

/** The name of a column; `cut`: where its text is cut when the terminal is too narrow for all of it. */
export type Column = string | { name: string; cut: "start" | "end" };

const APART = 2;
/** A column that is cut keeps so many cells. */
const LEAST = 8;

/** The cells of a line with columns of these widths. */
function widthWith(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + APART, -APART);
}

/** The cells of each column: as many as its widest text needs, or fewer where the widest ones can be cut to fit. */
function widthsIn(natural: readonly number[], cut: readonly boolean[], width: number): number[] {
  const widths = [...natural];
  let over = widthWith(widths) - width;
  while (over > 0) {
    const wide = widths.reduce(
      (found, one, at) => (cut[at] && one > LEAST && one > (widths[found] ?? 0) ? at : found),
      -1,
    );
    if (wide < 0) break;
    widths[wide] = (widths[wide] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}

type Head = Exclude<Column, string> | { name: string; cut?: undefined };

/** A block for each row: its first text, and below it the others with the names of their columns. */
function blocks(heads: readonly Head[], rows: readonly (readonly string[])[], width: number): string {
  const [, ...others] = heads;
  const indent = " ".repeat(APART);
  const names = Math.max(...others.map(({ name }) => widthOf(name)));
  const room = Math.max(1, width - names - 2 * APART);
  const lines = rows.flatMap(([first = "", ...rest]) => [
    first,
    ...others.map(({ name, cut }, at) => `${indent}${name.padEnd(names)}${indent}${fitted(rest[at] ?? "", room, cut)}`),
  ]);
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** Columns as wide as their widest cell, within the width of a terminal; the last one ends where its text ends. Where they do not fit, a block for each row. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = terminalWidth(),
): string {
  const heads = columns.map((column): Head => (typeof column === "string" ? { name: column } : column));
  const names = heads.map(({ name }) => name);
  const natural = heads.map(({ name }, at) => Math.max(widthOf(name), ...rows.map((row) => widthOf(row[at] ?? ""))));
  const widths = widthsIn(
    natural,
    heads.map(({ cut }) => cut !== undefined),
    width,
  );
  if (widthWith(widths) > width) return blocks(heads, rows, width);
  const line = (texts: readonly string[], cuts: readonly Head["cut"][]): string => {
    const cells = texts.map((text, at) => {
      const cell = fitted(text, widths[at] ?? 0, cuts[at]);
      return cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
    });
    return `${cells.join(" ".repeat(APART)).trimEnd()}\n`;
  };
  const cuts = heads.map(({ cut }) => cut);
  return [line(names, []), ...rows.map((row) => line(row, cuts))].join("");
}

/** A pipe and a file have no width: they get the whole text. */
function terminalWidth(): number {
  return (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
}

const STEPS = [
  { limit: 60, seconds: 1, unit: "s" },
  { limit: 3_600, seconds: 60, unit: "m" },
  { limit: 86_400, seconds: 3_600, unit: "h" },
  { limit: Number.POSITIVE_INFINITY, seconds: 86_400, unit: "d" },
] as const;

/** How long ago, in one unit: `5s`, `3m`, `2h`, `12d`. */
export function age(then: number, now: number): string {
  const past = Math.max(0, Math.floor((now - then) / 1000));
  const step = STEPS.find(({ limit }) => past < limit) ?? STEPS[3];
  return `${Math.floor(past / step.seconds)}${step.unit}`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}
