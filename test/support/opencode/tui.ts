import { spawn } from "@lydell/node-pty";
import { deadline, PATIENCE_MS } from "../time.ts";
import { Screen } from "./screen.ts";

const GRACE_MS = 3_000;

const KEYS = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  "ctrl+c": "\u0003",
  "ctrl+p": "\u0010",
  "ctrl+t": "\u0014",
  "ctrl+u": "\u0015",
  "ctrl+x": "\u0018",
} as const;

export type Key = keyof typeof KEYS;

export interface TuiOptions {
  program: string;
  args: readonly string[];
  directory: string;
  env: Record<string, string>;
  cols?: number;
  rows?: number;
}

/** A program in a terminal, driven as a person does: by keys, and by what the screen shows. */
export interface Tui {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** What is shown, with lines of a shell whole that the terminal wrapped. */
  screen(): string;
  /** What is shown, a line for each row of the terminal. */
  rows(): string[];
  /** Resolves with the screen when it shows a text, or fits a pattern; rejects with the last screen. */
  waitFor(wanted: string | RegExp, withinMs?: number): Promise<string>;
  /** Resolves when the screen no longer shows it. */
  waitUntilGone(unwanted: string | RegExp, withinMs?: number): Promise<string>;
  type(text: string): void;
  press(...keys: Key[]): void;
  close(): Promise<void>;
}

function shows(wanted: string | RegExp): (text: string) => boolean {
  return typeof wanted === "string" ? (text) => text.includes(wanted) : (text) => wanted.test(text);
}

export function startInTerminal({ program, args, directory, env, cols = 120, rows = 40 }: TuiOptions): Tui {
  const pty = spawn(program, [...args], { name: "xterm-256color", cols, rows, cwd: directory, env });
  const screen = new Screen(cols, rows, (data) => pty.write(data));
  pty.onData((data) => screen.write(data));
  const exited = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      screen.end(`${program} has ended with ${signal ? `signal ${signal}` : `code ${exitCode}`}`);
      resolve(exitCode);
    });
  });
  return {
    pid: pty.pid,
    exited,
    screen: () => screen.text(),
    rows: () => screen.rows(),
    waitFor: (wanted, withinMs = PATIENCE_MS) => screen.until(`${wanted}`, shows(wanted), withinMs),
    waitUntilGone(unwanted, withinMs = PATIENCE_MS) {
      const shown = shows(unwanted);
      return screen.until(`that ${unwanted} is gone`, (text) => !shown(text), withinMs);
    },
    type: (text) => pty.write(text),
    press: (...keys) => {
      for (const key of keys) pty.write(KEYS[key]);
    },
    async close() {
      using _late = deadline(() => pty.kill("SIGKILL"), GRACE_MS);
      try {
        pty.kill("SIGTERM");
      } catch {
        // It has ended by itself.
      }
      await exited;
      screen[Symbol.dispose]();
    },
  };
}
