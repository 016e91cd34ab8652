import type { Stream } from "./terminal.ts";

/** Takes the cursor's line off the screen. */
export const CLEAR_LINE = "\r\u001b[K";
const CLEAR_TWO = "\b\b\u001b[K";

/** Whether the terminal shows Ctrl-C as ^C. Only its own program can tell. */
function showsKeys(): boolean {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const settings = execFileSync("stty", ["-a"], { encoding: "utf8", stdio: ["inherit", "pipe", "ignore"] });
    return /(^|\s)echoctl\b/m.test(settings) && /(^|\s)echo\b/m.test(settings);
  } catch {
    return false;
  }
}

/**
 * Takes the ^C off the screen that the terminal shows for Ctrl-C. `inLine`: a question stands before it in the same line.
 * The terminal shows it just after the signal: the look at its settings also gives it the time.
 */
export function clearKeyEcho(stream: Stream, inLine = false): void {
  if (stream.isTTY && process.stdin.isTTY && showsKeys()) stream.write(inLine ? CLEAR_TWO : CLEAR_LINE);
}
