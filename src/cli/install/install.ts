import { INSTALLABLE, INSTALLABLE_NAMES, type InstallableName } from "../../install/catalog.ts";
import { findAgentBinary } from "../../install/find.ts";
import { installAgent } from "../../install/install.ts";
import { agentsDirectory, chosenInstallation } from "../../install/layout.ts";
import { InstallProblem } from "../../install/problem.ts";
import { configure } from "../context.ts";
import { CliError, EXIT, usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { table } from "../output/table.ts";
import { Interrupts } from "../run/interrupts.ts";
import { tell } from "../tell.ts";

export interface InstallFlags extends CommonFlags {
  version?: string;
  force?: boolean;
}

async function agentsOf(flags: InstallFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  return agentsDirectory(settings.dataDir);
}

/** Installs one and says where its program is. */
export async function install(name: InstallableName, flags: InstallFlags): Promise<string> {
  const agents = await agentsOf(flags);
  const interrupts = new Interrupts();
  try {
    const { version, force } = flags;
    const options = { agents, version, force, progress: tell, stop: interrupts.signal };
    const { path, already, ...result } = await installAgent(name, options);
    tell(already ? `${name} ${result.version} is there already` : `${name} ${result.version} is installed`);
    return flags.json ? `${JSON.stringify({ name, version: result.version, path, already })}\n` : `${path}\n`;
  } catch (thrown) {
    if (thrown instanceof InstallProblem) throw new CliError(thrown.message, interrupts.code ?? EXIT.failed, thrown);
    throw thrown;
  } finally {
    interrupts.close();
  }
}

const WHERE = {
  variable: "named by you",
  parley: "installed by Parley",
  path: "of the search path",
  home: "of its own installer",
} as const;

/** Every agent that can be installed: the tested version, what is installed, and which program is used. */
export async function listInstallable(flags: InstallFlags): Promise<string> {
  if (flags.version !== undefined || flags.force)
    throw usageError("expected an agent to install: parley install <agent>");
  const agents = await agentsOf(flags);
  const found = await Promise.all(
    INSTALLABLE_NAMES.map(async (name) => ({
      name,
      tested: INSTALLABLE[name].version,
      installed: chosenInstallation(agents, name)?.version,
      used: await findAgentBinary(name, { agents }),
    })),
  );
  if (flags.json) return `${JSON.stringify(found)}\n`;
  return table(
    ["NAME", "TESTED", "INSTALLED", { name: "USED", cut: "end" }],
    found.map(({ name, tested, installed, used }) => [
      name,
      tested,
      installed ?? "-",
      "missing" in used ? used.missing : `${used.path} (${WHERE[used.from]})`,
    ]),
  );
}
