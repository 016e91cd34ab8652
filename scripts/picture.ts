import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal as XtermTerminal } from "@xterm/headless";

// Runs `parley run` in a real terminal (script(1) makes the pty, xterm reads the screen) and draws what a person saw.
const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as { Terminal: typeof XtermTerminal };

const COLS = 88;
const ROWS = 18;
const PROMPT = "Read README.md and add a line at the end";
const CELL = { width: 8.4, height: 19 };
const PALETTE = ["#15161e", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#c0caf5"];
const OUT = fileURLToPath(new URL("../docs/pictures/run.svg", import.meta.url));

function record(directory: string): Promise<XtermTerminal> {
  writeFileSync(join(directory, "README.md"), "# Demo\n\nA small project.\n");
  const bin = fileURLToPath(new URL("../bin/parley.js", import.meta.url));
  const command = `stty cols ${COLS} rows ${ROWS}; exec ${process.execPath} ${bin} run "${PROMPT}"`;
  const env = {
    ...process.env,
    HOME: directory,
    XDG_DATA_HOME: join(directory, "data"),
    XDG_CONFIG_HOME: join(directory, "config"),
    TERM: "xterm-256color",
  };
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: directory,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const terminal = new Terminal({ cols: COLS, rows: ROWS, allowProposedApi: true });
  terminal.write(`\x1b[32m$\x1b[0m npx parley run "${PROMPT}"\r\n`);
  child.stdout.on("data", (chunk: Buffer) => {
    terminal.write(chunk);
    if (chunk.toString().includes("[r]eject >")) child.stdin.write("o\n");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => terminal.write("", () => resolve(terminal)));
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[char] ?? char);
}

interface Run {
  text: string;
  style: string;
}

/** Cells of one style in a row are drawn together. */
function runsOf(terminal: XtermTerminal, row: number): Run[] {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; column < COLS; column++) {
    const cell = line?.getCell(column);
    if (!cell) continue;
    const colour = cell.isFgPalette() ? (PALETTE[cell.getFgColor() % 8] ?? "") : "#c0caf5";
    const style = `fill="${colour}"${cell.isBold() ? ' font-weight="bold"' : ""}`;
    const last = runs.at(-1);
    const text = cell.getChars() || " ";
    if (last?.style === style) last.text += text;
    else runs.push({ text, style });
  }
  return runs;
}

function draw(terminal: XtermTerminal): string {
  const width = Math.ceil(COLS * CELL.width) + 32;
  const used = terminal.buffer.active.baseY + terminal.buffer.active.cursorY + 1;
  const rows = Array.from({ length: used }, (_, row) => {
    const spans = runsOf(terminal, row).map(({ text, style }) => `<tspan ${style}>${escaped(text)}</tspan>`);
    return `<text x="16" y="${52 + row * CELL.height}" xml:space="preserve">${spans.join("")}</text>`;
  });
  const height = 52 + used * CELL.height + 8;
  const dots = ["#f7768e", "#e0af68", "#9ece6a"].map(
    (fill, index) => `<circle cx="${22 + index * 20}" cy="20" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="parley run in a terminal">`,
    `<rect width="100%" height="100%" rx="8" fill="#1a1b26"/>`,
    ...dots,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`,
    ...rows,
    "</g></svg>\n",
  ].join("\n");
}

const directory = mkdtempSync(join(tmpdir(), "parley-picture-"));
try {
  writeFileSync(OUT, draw(await record(directory)));
  console.log(`drew ${OUT}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
