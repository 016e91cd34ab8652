import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { InstallableName } from "../../src/install/catalog.ts";
import { installAgent } from "../../src/install/install.ts";
import { InstallProblem } from "../../src/install/problem.ts";
import { missing } from "./missing.ts";

/** The program, or the reason why tests that need it are skipped. */
export type RealAgent = { program: string; skip: false } | { program?: undefined; skip: string };

/** Tells test processes that an agent could not be had, so that not each of them tries for itself. */
export const skipVariable = (name: InstallableName): string => `PARLEY_TEST_WITHOUT_${name.toUpperCase()}`;

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

/** Shared between runs: some hundred megabytes are not downloaded twice. */
function testAgents(): string {
  return process.env.PARLEY_TEST_CACHE ?? join(REPOSITORY, "node_modules", ".cache", "parley-agents");
}

/** The tested version of a real agent. Without a network, or on a machine it has no program for, tests of it are skipped. */
export async function realAgent(name: InstallableName, progress?: (line: string) => void): Promise<RealAgent> {
  const known = process.env[skipVariable(name)];
  if (known) return { skip: known };
  try {
    const { path } = await installAgent(name, { agents: testAgents(), progress });
    return { program: path, skip: false };
  } catch (thrown) {
    if (!(thrown instanceof InstallProblem)) throw thrown;
    return { skip: missing(`the real ${name}: ${thrown.message}`) };
  }
}
