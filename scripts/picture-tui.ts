import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { Screen } from "../test/support/opencode/screen.ts";
import { Surroundings } from "../test/support/opencode/surroundings.ts";
import { realAgent } from "../test/support/real-agent.ts";
import { drawTerminal } from "./draw-terminal.ts";

// Runs `parley opencode` with the real interface in a real terminal, gives it a prompt, and draws what a person saw.
const COLS = 100;
const ROWS = 30;
const PROMPT = "Read README.md and add a line at the end";
const PATIENCE_MS = 60_000;
const OUT = fileURLToPath(new URL("../docs/pictures/tui.svg", import.meta.url));
const PARLEY = fileURLToPath(new URL("../bin/parley.js", import.meta.url));

const { program, skip } = await realAgent("opencode");
if (!program) throw new Error(`OpenCode's program is needed: ${skip}`);
const surroundings = new Surroundings();
const directory = surroundings.project("demo", { "README.md": "# Demo\n\nA small project.\n" });
const pty = spawn(process.execPath, [PARLEY, "opencode"], {
  name: "xterm-256color",
  cols: COLS,
  rows: ROWS,
  cwd: directory,
  env: surroundings.env({ PARLEY_OPENCODE_BIN: program, COLORTERM: "truecolor" }),
});
const screen = new Screen(COLS, ROWS, (data) => pty.write(data));
pty.onData((data) => screen.write(data));
const left = new Promise<void>((resolve) => pty.onExit(() => resolve()));
const shows = (text: string): Promise<string> => screen.until(text, (shown) => shown.includes(text), PATIENCE_MS);
try {
  await shows("Ask anything");
  pty.write(PROMPT);
  await shows(PROMPT);
  pty.write("\r");
  await shows("Allow once");
  writeFileSync(OUT, drawTerminal(screen.terminal, ROWS, "OpenCode's terminal interface on Parley"));
  console.log(`drew ${OUT}`);
} finally {
  pty.write("\u0003");
  const ended = setTimeout(() => pty.kill("SIGKILL"), 5_000);
  await left;
  clearTimeout(ended);
}
