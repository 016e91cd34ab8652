import { appendFileSync, readFileSync } from "node:fs";

/** Names a file into which each process of a test file writes a line at its end. */
export const CPU_VARIABLE = "PARLEY_TEST_CPU";

/** `/proc` counts the time of the processor in hundredths of a second. */
const TICK_MS = 10;

/** The time of the processor for a process and all that it started and waited for: the fields 14 to 17 of `/proc/PID/stat`. */
export function cpuMsOf(stat: string): number {
  // The second field is the name of the program, which may have blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TICK_MS * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

const told = process.env[CPU_VARIABLE];
const file = process.argv[1];
// Preloaded into the process of a test file. What that forks has the same flags, and is no test file.
if (told !== undefined && file?.endsWith(".test.ts")) {
  process.on("exit", () => {
    const cpuMs = cpuMsOf(readFileSync("/proc/self/stat", "utf8"));
    appendFileSync(told, `${JSON.stringify({ file, cpuMs })}\n`);
  });
}
