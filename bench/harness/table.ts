import type { Figure, Unit } from "./figure.ts";

function show(value: number, unit: Unit): string {
  if (unit === "events/s") return `${Math.round(value).toLocaleString("en")} ${unit}`;
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}

function ratio({ value, anchor }: Figure): string {
  const times = value / anchor.value;
  return `${times.toFixed(times < 10 ? 2 : 1)}x`;
}

function verdict({ goal, faults = [] }: Figure): string {
  if (faults.length > 0) return `FAILED: ${faults.join(", ")}`;
  if (!goal) return "";
  return goal.met ? "met" : "MISSED";
}

export const HEAD: readonly string[] = ["work", "anchor", "result", "ratio", "goal", ""];

/** The cells of a figure; the last is its verdict. */
export function rowOf(figure: Figure): string[] {
  const { work, anchor, value, unit, goal } = figure;
  const beside = `${anchor.name}: ${show(anchor.value, unit)}`;
  return [work, beside, show(value, unit), ratio(figure), goal?.text ?? "", verdict(figure)];
}

/** A table in Markdown, with its columns aligned for the terminal. */
export function table(figures: readonly Figure[]): string {
  const rows = [HEAD, ...figures.map(rowOf)];
  const widths = HEAD.map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join("\n");
}

/** The results as a file: JSON, with one short line for each figure, so that two runs can be compared by `diff`. */
export function saved(about: object, figures: readonly Figure[]): string {
  const rows = figures.map(({ work, value, unit, anchor, goal, faults }) => {
    const rounded = [value, anchor.value].map((number) => Number(number.toPrecision(4)));
    const verdict = { ...(goal ? { goal: goal.text, met: goal.met } : {}), ...(faults?.length ? { faults } : {}) };
    return JSON.stringify({ work, value: rounded[0], unit, beside: anchor.name, anchor: rounded[1], ...verdict });
  });
  return `{"about":${JSON.stringify(about)},"figures":[\n${rows.join(",\n")}\n]}\n`;
}
