import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal as XtermTerminal } from "@xterm/headless";
import { drawTerminal } from "./draw-terminal.ts";

// Runs `parley run` in a real terminal (script(1) makes the pty, xterm reads the screen) and draws what a person saw.
const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as { Terminal: typeof XtermTerminal };

const COLS = 88;
const ROWS = 18;
const PROMPT = "Read README.md and add a line at the end";
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
  terminal.write(`\x1b[32m$\x1b[0m parley run "${PROMPT}"\r\n`);
  child.stdout.on("data", (chunk: Buffer) => {
    terminal.write(chunk);
    if (chunk.toString().includes("[r]eject >")) child.stdin.write("o\n");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => terminal.write("", () => resolve(terminal)));
  });
}

const directory = mkdtempSync(join(tmpdir(), "parley-picture-"));
try {
  const terminal = await record(directory);
  const { baseY, cursorY } = terminal.buffer.active;
  writeFileSync(OUT, drawTerminal(terminal, baseY + cursorY + 1, "parley run in a terminal"));
  console.log(`drew ${OUT}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
