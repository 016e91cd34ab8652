import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstallableName } from "../../src/install/catalog.ts";
import { installAgent } from "../../src/install/install.ts";
import { InstallProblem } from "../../src/install/problem.ts";
import { missing } from "./missing.ts";

/** The program and its version, or the reason why tests that need it are skipped. */
export type RealAgent =
  | { program: string; version: string; skip: false }
  | { program?: undefined; version?: undefined; skip: string };

/** Has tests run with another version than the one that is installed for users. */
export const versionVariable = (name: InstallableName): string => `PARLEY_TEST_${name.toUpperCase()}_VERSION`;

/** Tells test processes that an agent could not be had, so that not each of them tries for itself. */
export const skipVariable = (name: string): string => `PARLEY_TEST_WITHOUT_${name.toUpperCase().replaceAll("-", "_")}`;

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

/** Shared between runs: some hundred megabytes are not downloaded twice. */
export function testAgents(): string {
  return process.env.PARLEY_TEST_CACHE ?? join(REPOSITORY, "node_modules", ".cache", "parley-agents");
}

/** A tested version of a real agent: the newest, unless the variable names another. Without a network, or on a machine it has no program for, tests of it are skipped. */
export async function realAgent(name: InstallableName, progress?: (line: string) => void): Promise<RealAgent> {
  const known = process.env[skipVariable(name)];
  if (known) return { skip: known };
  try {
    const version = process.env[versionVariable(name)];
    const found = await installAgent(name, { agents: testAgents(), progress, ...(version ? { version } : {}) });
    return { program: found.path, version: found.version, skip: false };
  } catch (thrown) {
    if (!(thrown instanceof InstallProblem)) throw thrown;
    return { skip: missing(`the real ${name}: ${thrown.message}`) };
  }
}
