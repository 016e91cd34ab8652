import { MARK_VARIABLE } from "../process-scan.ts";

/** Variables of the terminal or multiplexer in which Parley itself was started. */
const OF_OUR_TERMINAL = new Set([
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOW",
  "WINDOWID",
  "TERMCAP",
  "TERM_PROGRAM",
  "TERM_PROGRAM_VERSION",
  "COLUMNS",
  "LINES",
]);

/** Parley's settings, and above all its token, are not for what people run in a terminal. */
const isOurs = (name: string): boolean => name.startsWith("PARLEY_") || OF_OUR_TERMINAL.has(name);

/** The variables of a terminal's program: those of Parley's user, those the client asked for, those a terminal has. */
export function terminalEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  asked: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) if (value !== undefined && !isOurs(name)) inherited[name] = value;
  return { ...inherited, ...asked, TERM: "xterm-256color", OPENCODE_TERMINAL: "1", [MARK_VARIABLE]: mark };
}
