import { chmodSync } from "node:fs";
import { join } from "node:path";
import { packageProgram } from "../../../src/install/install-package.ts";
import { installWanted } from "../../../src/install/installation.ts";
import type { Installation } from "../../../src/install/layout.ts";
import { InstallProblem } from "../../../src/install/problem.ts";
import { missing } from "../missing.ts";
import { skipVariable, testAgents } from "../real-agent.ts";

type Find = (directory: string, version: string) => Installation;

interface ClientPackage {
  package: string;
  version: string;
  find: Find;
}

/** A package that is a library: its entry is imported. */
function library(name: string, entry: string): Find {
  return (directory, version) => {
    const program = join("node_modules", name, entry);
    // An installation is whole when its program may be run.
    chmodSync(join(directory, program), 0o755);
    return { version, program, node: true };
  };
}

/** Clients of the Agent Client Protocol that nobody here wrote. */
const CLIENTS = {
  acpx: {
    package: "acpx",
    version: "0.19.1",
    find: (directory, version) => packageProgram(directory, { package: "acpx", version, bin: "acpx" }),
  },
  "acp-ai-provider": {
    package: "@mcpc-tech/acp-ai-provider",
    version: "0.2.9",
    find: library("@mcpc-tech/acp-ai-provider", "index.mjs"),
  },
} as const satisfies Record<string, ClientPackage>;

export type RealClientName = keyof typeof CLIENTS;
export const REAL_CLIENTS = Object.keys(CLIENTS) as RealClientName[];

/** The script of a client, which Node runs or imports, or the reason why tests that need it are skipped. */
export type RealClient = { script: string; skip: false } | { script?: undefined; skip: string };

/** A pinned client, installed once for all runs. Without a network tests of it are skipped. */
export async function realClient(name: RealClientName, progress?: (line: string) => void): Promise<RealClient> {
  const known = process.env[skipVariable(name)];
  if (known) return { skip: known };
  const { find, ...wanted } = CLIENTS[name];
  try {
    const found = await installWanted(
      { name, ...wanted, size: "with its packages", find: async (directory, version) => find(directory, version) },
      { agents: testAgents(), ...(progress ? { progress } : {}) },
    );
    return { script: found.path, skip: false };
  } catch (thrown) {
    if (!(thrown instanceof InstallProblem)) throw thrown;
    return { skip: missing(`the real ${name}: ${thrown.message}`) };
  }
}
