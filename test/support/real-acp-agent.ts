import { commandOf } from "../../src/agents/acp/known/find.ts";
import { knownAgent } from "../../src/agents/acp/known/known.ts";
import { installPackage } from "../../src/install/install-package.ts";
import { InstallProblem } from "../../src/install/problem.ts";
import { missing } from "./missing.ts";
import { skipVariable, testAgents } from "./real-agent.ts";

/** The ACP agents that tests run. The others of the table are installed by their users only. */
export const REAL_ACP_AGENTS = ["claude-acp", "codex-acp", "gemini"] as const;
export type RealAcpName = (typeof REAL_ACP_AGENTS)[number];

/** The command line that starts it as an ACP agent, and its version, or the reason why tests that need it are skipped. */
export type RealAcpAgent =
  | { argv: [string, ...string[]]; version: string; skip: false }
  | { argv?: undefined; version?: undefined; skip: string };

/** The pinned version of a real ACP agent, installed once for all runs. Without a network tests of it are skipped. */
export async function realAcpAgent(name: RealAcpName, progress?: (line: string) => void): Promise<RealAcpAgent> {
  const known = process.env[skipVariable(name)];
  if (known) return { skip: known };
  const entry = knownAgent(name);
  if (!entry?.npm) throw new Error(`expected a package of ${name} in the table of known agents`);
  try {
    const found = await installPackage(name, entry.npm, { agents: testAgents(), progress });
    return { argv: [...commandOf(found), ...entry.args], version: found.version, skip: false };
  } catch (thrown) {
    if (!(thrown instanceof InstallProblem)) throw thrown;
    return { skip: missing(`the real ${name}: ${thrown.message}`) };
  }
}
