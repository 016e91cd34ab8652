import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { findProgram } from "../host/find-program.ts";
import { InstallProblem, npmProblem } from "./problem.ts";

/** A slow line needs minutes for some hundred megabytes; a dead one must not keep anybody for ever. */
const LIMIT_MS = 10 * 60_000;
/** How often a person is told that it still goes on. */
const SIGN_OF_LIFE_MS = 10_000;
const KEPT_CHARACTERS = 20_000;

/**
 * Scripts stay off: the packages' scripts only copy the platform's program over a stub, and newer npms may not run them;
 * Parley uses the platform's program where it lies.
 */
const OPTIONS = [
  "--no-save",
  "--no-package-lock",
  "--ignore-scripts",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--no-update-notifier",
  "--loglevel=error",
];

export interface NpmRun {
  /** `package@version` */
  wanted: string;
  directory: string;
  env: Readonly<Record<string, string | undefined>>;
  progress(line: string): void;
  /** Ends npm when it is aborted. */
  stop?: AbortSignal | undefined;
}

function collect(child: ChildProcess): () => string {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
  }
  return () => said;
}

/** Lets the user's own npm install a package into a directory: its registry, its proxy, its checks of integrity. */
export async function npmInstall({ wanted, directory, env, progress, stop }: NpmRun): Promise<void> {
  const npm = await findProgram("npm", env.PATH ?? "");
  if (npm === undefined) {
    throw new InstallProblem("no_npm", `${wanted} was not installed: npm was not found; it comes with Node.js`);
  }
  const begun = performance.now();
  // In its own directory, so that no project's .npmrc or workspace above the user's has a say.
  const args = ["install", "--prefix", directory, ...OPTIONS, wanted];
  const child = spawn(npm, args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT_MS });
  const said = collect(child);
  const end = (): void => void child.kill();
  stop?.addEventListener("abort", end);
  const sign = (): void => progress(`still installing ${wanted} (${Math.round((performance.now() - begun) / 1000)} s)`);
  const alive = setInterval(sign, SIGN_OF_LIFE_MS);
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code === 0) return;
    if (stop?.aborted) throw new InstallProblem("stopped", `${wanted} was not installed: it was stopped`);
    if (signal !== null && performance.now() - begun >= LIMIT_MS) {
      throw new InstallProblem("network", `${wanted} was not installed within ${LIMIT_MS / 60_000} minutes: try again`);
    }
    throw npmProblem(wanted, said());
  } finally {
    clearInterval(alive);
    stop?.removeEventListener("abort", end);
  }
}
