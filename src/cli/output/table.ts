/** Columns as wide as their widest cell; the last one ends where its text ends. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
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
