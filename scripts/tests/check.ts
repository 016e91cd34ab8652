import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const CHECKS: readonly (readonly [label: string, program: string, ...parameters: string[]])[] = [
  ["format, lint, import direction", "biome", "check", "."],
  ["types", "node", "scripts/types.ts"],
];

/** A check that did not pass. */
export interface Failed {
  label: string;
  status: number | null;
  signal: NodeJS.Signals | null;
  /** Its words: the last of a run, after those of the tests that it ended. */
  said: string;
}

/** Resolves when all checks have passed, or with the first that failed: the tests beside it are then told to stop. */
export async function checking(stop: AbortController): Promise<Failed | undefined> {
  for (const check of CHECKS) {
    const failed = await run(check, stop.signal);
    if (!failed) continue;
    stop.abort();
    return failed;
  }
  return undefined;
}

async function run(
  [label, program, ...parameters]: (typeof CHECKS)[number],
  signal: AbortSignal,
): Promise<Failed | undefined> {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => void child.kill();
  signal.addEventListener("abort", end);
  const ended = new Promise<Omit<Failed, "said">>((resolve) => {
    child.once("error", ({ message }) => {
      console.error(`parley: ${program} cannot be run: ${message}`);
      resolve({ label, status: 1, signal: null });
    });
    child.once("close", (status, killed) => resolve({ label, status, signal: killed }));
  });
  const [out, err, failed] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  signal.removeEventListener("abort", end);
  const passed = failed.status === 0;
  console.error(`\n── ${label}: ${passed ? "passed" : "failed"}`);
  return passed ? undefined : { ...failed, said: `${out}${err}` };
}
