import { safeText } from "./safe-text.ts";
import type { Colour, Paint } from "./terminal.ts";

function colourOf(line: string, inHunk: boolean): Colour | undefined {
  if (line.startsWith("@@ ")) return "cyan";
  if (!inHunk || line.startsWith("\\")) return "dim";
  return line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : undefined;
}

/** A diff line by line, in colours. */
export function diffLines(diff: string, paint: Paint): string[] {
  let inHunk = false;
  return safeText(diff)
    .trimEnd()
    .split("\n")
    .map((line) => {
      inHunk ||= line.startsWith("@@ ");
      const colour = colourOf(line, inHunk);
      return colour && line !== "" ? paint(colour, line) : line;
    });
}

/** Rows and columns of a terminal. */
export interface Size {
  rows: number;
  columns: number;
}

/** Lines of a text are never cut to fewer than this. */
const LEAST = 5;

/** The number of the first lines that fit into the rows, where long lines take several. */
export function fittingLines(lines: readonly string[], rows: number, columns: number): number {
  let used = 0;
  const over = lines.findIndex((line) => {
    used += Math.max(1, Math.ceil(visibleLength(line) / columns));
    return used > rows;
  });
  return over < 0 ? lines.length : Math.min(lines.length, Math.max(LEAST, over));
}

/** Tabs count as eight, and colours as nothing. */
function visibleLength(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it.
  return line.replace(/\u001b\[\d+m/g, "").replaceAll("\t", " ".repeat(8)).length;
}
