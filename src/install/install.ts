import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binaryVariable, INSTALLABLE, type Installable, type InstallableName } from "./catalog.ts";
import { type Environment, type InstallOptions, type InstallResult, installWanted } from "./installation.ts";
import type { Installation } from "./layout.ts";
import { candidates, versionOf } from "./platform-program.ts";
import { InstallProblem } from "./problem.ts";

/** Installs an agent's program, or finds that it is there. */
export function installAgent(name: InstallableName, options: InstallOptions): Promise<InstallResult> {
  const what: Installable = INSTALLABLE[name];
  const find = (directory: string, version: string, env: Environment): Promise<Installation> =>
    platformProgram({ name, what, directory, version, env });
  return installWanted({ name, ...what, size: "some hundred megabytes", find }, options);
}

interface Search {
  name: InstallableName;
  what: Installable;
  directory: string;
  version: string;
  env: Environment;
}

/** The platform's program that runs here; the others of its kind are not kept. */
async function platformProgram({ name, what, directory, version, env }: Search): Promise<Installation> {
  const found = candidates(directory, what);
  const home = join(directory, ".home");
  mkdirSync(home);
  // A home of its own: a look at the version must leave nothing behind in the user's.
  const own = { ...env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home };
  for (const candidate of found) {
    const said = await versionOf(join(directory, candidate.program), own);
    if (!said?.split(/\s+/).includes(version)) continue;
    for (const other of found.filter((one) => one.package !== candidate.package)) {
      discard(join(directory, "node_modules", other.package));
    }
    discard(home);
    return { version, program: candidate.program };
  }
  const tried = found.map(({ package: one }) => one).join(", ") || "none for this platform";
  throw new InstallProblem(
    "unusable",
    `${what.package}@${version} was downloaded, but no program of it runs on ${process.platform} ${process.arch} (tried: ${tried}): try another with --version, or set ${binaryVariable(name)} to a program that does`,
  );
}

function discard(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}
