import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Installable } from "./catalog.ts";

/** A program's first start on a slow disk takes seconds. */
const START_LIMIT_MS = 60_000;

const run = promisify(execFile);

/** The platform packages that npm found fit for this machine, the plain ones before those for old processors. */
function platformPackages(root: string, main: string): string[] {
  const text = readFileSync(join(root, "node_modules", main, "package.json"), "utf8");
  const { optionalDependencies = {} } = JSON.parse(text) as { optionalDependencies?: Record<string, string> };
  return Object.keys(optionalDependencies).sort((a, b) => a.length - b.length || a.localeCompare(b));
}

export interface Candidate {
  package: string;
  /** Relative to the installation. */
  program: string;
}

/** Every program of an installation that may be the one for this machine, the likeliest first. */
export function candidates(root: string, { package: main, places }: Installable): Candidate[] {
  return platformPackages(root, main).flatMap((name) => {
    const home = join("node_modules", name);
    const patterns = places.flatMap((place) => [join(home, place), join(home, `${place}.exe`)]);
    return globSync(patterns, { cwd: root }).map((program) => ({ package: name, program }));
  });
}

/** The version that a program tells; undefined when it does not run here, as one for newer processors. */
export async function versionOf(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ["--version"], { env, timeout: START_LIMIT_MS });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
