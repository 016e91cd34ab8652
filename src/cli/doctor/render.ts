import { safeText } from "../output/safe-text.ts";
import { type Colour, painter } from "../output/terminal.ts";
import type { Level } from "./check.ts";
import type { Report } from "./examine.ts";

const COLOUR: Readonly<Record<Level, Colour>> = { ok: "green", warn: "yellow", bad: "red" };

const WARNED = "It works; the warnings are worth a look.";
const SUMMARY: Readonly<Record<Level, string>> = { ok: "All is well.", warn: WARNED, bad: "Something is wrong." };

export function render({ version, verdict, checks }: Report): string {
  const paint = painter(process.stdout);
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, level, detail, advice }) => {
    const first = `${paint(COLOUR[level], level.padEnd(4))}  ${name.padEnd(width)}  ${safeText(detail)}`;
    return advice && level !== "ok"
      ? [first, `${" ".repeat(width + 8)}${paint("dim", `-> ${safeText(advice)}`)}`]
      : [first];
  });
  return `${[`parley ${version}`, ...lines, paint(COLOUR[verdict], SUMMARY[verdict])].join("\n")}\n`;
}
