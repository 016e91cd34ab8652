import type { LabelledRow, UsageAnswer } from "../../client/index.ts";

const NAMES = "turns,untold_turns,input,cache_read,cache_write,output,reasoning,usd,source,unknown_turns";

/** A text that begins like this is a formula to a spreadsheet, which may run things. */
const FORMULA = /^[=+\-@\t\r]/;

/** A text as a cell: quoted, and never a formula. */
export function cell(text: string): string {
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

function lineOf({ key, label = "", turns, untoldTurns, tokens, cost }: LabelledRow): string {
  const { input, cacheRead, cacheWrite, output, reasoning } = tokens;
  const counts = [turns, untoldTurns, input, cacheRead, cacheWrite, output, reasoning];
  return [cell(key), cell(label), ...counts, cost.usd ?? "", cost.source, cost.unknownTurns].join(",");
}

/** The rows as comma-separated values. A cost that nobody knows is empty. */
export function usageCsv({ by, rows }: UsageAnswer): string {
  return [`${by},title,${NAMES}`, ...rows.map(lineOf)].map((line) => `${line}\r\n`).join("");
}
