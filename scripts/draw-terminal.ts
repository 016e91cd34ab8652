import type { Terminal } from "@xterm/headless";

const CELL = { width: 8.4, height: 19 };
const PALETTE = ["#15161e", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#c0caf5"];
const INK = "#c0caf5";
const PAPER = "#1a1b26";
const TOP = 38;

interface Run {
  text: string;
  from: number;
  ink: string;
  paper: string | undefined;
  bold: boolean;
}

type Cell = NonNullable<ReturnType<NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>["getCell"]>>;

function hex(rgb: number): string {
  return `#${rgb.toString(16).padStart(6, "0")}`;
}

function inkOf(cell: Cell): string {
  if (cell.isFgRGB()) return hex(cell.getFgColor());
  return cell.isFgPalette() ? (PALETTE[cell.getFgColor() % 8] ?? INK) : INK;
}

function paperOf(cell: Cell): string | undefined {
  if (cell.isBgRGB()) return hex(cell.getBgColor());
  return cell.isBgPalette() ? PALETTE[cell.getBgColor() % 8] : undefined;
}

/** Cells of one style in a row are drawn together. */
function runsOf(terminal: Terminal, row: number): Run[] {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let from = 0; from < terminal.cols; from++) {
    const cell = line?.getCell(from);
    if (!cell) continue;
    const run = {
      text: cell.getChars() || " ",
      from,
      ink: inkOf(cell),
      paper: paperOf(cell),
      bold: cell.isBold() !== 0,
    };
    const last = runs.at(-1);
    const alike = last && last.ink === run.ink && last.paper === run.paper && last.bold === run.bold;
    if (alike) last.text += run.text;
    else runs.push(run);
  }
  return runs;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char] ?? char);
}

function drawRow(runs: readonly Run[], row: number): string[] {
  const y = TOP + row * CELL.height;
  const x = (column: number): string => (16 + column * CELL.width).toFixed(1);
  const papers = runs.flatMap(({ paper, from, text }) =>
    paper === undefined
      ? []
      : [
          `<rect x="${x(from)}" y="${y}" width="${(text.length * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${paper}"/>`,
        ],
  );
  // Each run has its own place, so that a font that is a little wider moves nothing.
  const spans = runs
    .filter(({ text }) => text.trim() !== "")
    .map(({ text, ink, bold, from }) => {
      const weight = bold ? ' font-weight="bold"' : "";
      return `<tspan x="${x(from)}" fill="${ink}"${weight}>${escaped(text.trimEnd())}</tspan>`;
    });
  if (spans.length === 0) return papers;
  return [...papers, `<text y="${y + 14}" xml:space="preserve">${spans.join("")}</text>`];
}

/** Draws the screen of a terminal as a picture. */
export function drawTerminal(terminal: Terminal, rows: number, label: string): string {
  const width = Math.ceil(terminal.cols * CELL.width) + 32;
  const height = TOP + rows * CELL.height + 14;
  const dots = ["#f7768e", "#e0af68", "#9ece6a"].map(
    (fill, index) => `<circle cx="${22 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
  );
  const drawn = Array.from({ length: rows }, (_, row) => drawRow(runsOf(terminal, row), row)).flat();
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>`,
    ...dots,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`,
    ...drawn,
    "</g></svg>\n",
  ].join("\n");
}
