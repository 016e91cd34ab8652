import type { KnownEntry } from "../../agents/acp/known/entry.ts";
import { findKnown, type Search } from "../../agents/acp/known/find.ts";
import { KNOWN, knownAgent } from "../../agents/acp/known/known.ts";
import { nearest } from "../../core/nearest.ts";
import { INSTALLABLE, INSTALLABLE_NAMES, type InstallableName } from "../../install/catalog.ts";
import { type BinarySearch, findAgentBinary } from "../../install/find.ts";
import { installAgent } from "../../install/install.ts";
import { installPackage } from "../../install/install-package.ts";
import type { InstallOptions, InstallResult } from "../../install/installation.ts";
import { agentsDirectory, chosenInstallation } from "../../install/layout.ts";
import { InstallProblem } from "../../install/problem.ts";
import { configure } from "../context.ts";
import { CliError, EXIT, usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { table } from "../output/table.ts";
import { Interrupts } from "../run/interrupts.ts";
import { tell } from "../tell.ts";
import { isOlder } from "./is-older.ts";
import { BUILT_IN, NAMES } from "./names.ts";

export interface InstallFlags extends CommonFlags {
  version?: string;
  force?: boolean;
  all?: boolean;
}

async function dataDirOf(flags: InstallFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  return settings.dataDir;
}

function installKnown({ name, npm, get, shares }: KnownEntry, options: InstallOptions): Promise<InstallResult> {
  if (shares) return installAgent(shares, options);
  if (!npm) throw usageError(`${name} is no package that Parley can install: ${get}`);
  const { node = "0.0.0" } = npm;
  if (options.version === undefined && isOlder(process.versions.node, node))
    throw usageError(
      `${npm.package}@${npm.version} needs Node ${node} or newer, and this is ${process.versions.node}: use a newer Node, or choose another version with --version`,
    );
  return installPackage(name, npm, options);
}

function installer(name: string): (options: InstallOptions) => Promise<InstallResult> {
  const own = INSTALLABLE_NAMES.find((one) => one === name);
  if (own) return (options) => installAgent(own, options);
  const known = knownAgent(name);
  if (known) return (options) => installKnown(known, options);
  if (BUILT_IN.includes(name)) throw usageError(`${name} is built in: there is nothing to install`);
  const meant = nearest(name, [...NAMES, ...KNOWN.map((entry) => entry.name)]);
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  throw usageError(`no agent ${name} can be installed${hint}; those that can: ${NAMES.join(", ")}`);
}

/** Installs one and says where its program is. */
export async function install(name: string, flags: InstallFlags): Promise<string> {
  const agents = agentsDirectory(await dataDirOf(flags));
  const interrupts = new Interrupts();
  try {
    const { version, force } = flags;
    const options = { agents, version, force, progress: tell, stop: interrupts.signal };
    const { path, already, ...result } = await installer(name)(options);
    tell(already ? `${name} ${result.version} is there already` : `${name} ${result.version} is installed`);
    const login = knownAgent(name)?.login;
    if (login !== undefined && !already) tell(`to log in: ${login}; its program is not in the search path, but here:`);
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

interface Row {
  name: string;
  tested: string;
  installed: string | undefined;
  used: BinarySearch;
}

function usedOf(found: Search): BinarySearch {
  if ("missing" in found) return found;
  const { detail: path, version, searched } = found;
  return { path, from: searched ? "path" : "parley", ...(version === undefined ? {} : { version }) };
}

function knownRows(dataDirectory: string): Row[] {
  return KNOWN.flatMap((entry) => {
    const { name, npm } = entry;
    if (!npm) return [];
    const used = usedOf(findKnown(entry, { dataDirectory, env: process.env }));
    const installed = chosenInstallation(agentsDirectory(dataDirectory), name)?.version;
    return [{ name, tested: npm.version, installed, used }];
  });
}

async function ownRow(name: InstallableName, agents: string): Promise<Row> {
  const installed = chosenInstallation(agents, name)?.version;
  return { name, tested: INSTALLABLE[name].version, installed, used: await findAgentBinary(name, { agents }) };
}

/** Every agent that can be installed: the tested or pinned version, what is installed, and which program is used. */
export async function listInstallable(flags: InstallFlags): Promise<string> {
  if (flags.version !== undefined || flags.force)
    throw usageError("expected an agent to install: parley install <agent>");
  const dataDirectory = await dataDirOf(flags);
  const own = await Promise.all(INSTALLABLE_NAMES.map((name) => ownRow(name, agentsDirectory(dataDirectory))));
  const known = knownRows(dataDirectory);
  const shown = flags.all ? known : known.filter(({ used }) => !("missing" in used));
  const found = [...own, ...shown];
  if (flags.json) return `${JSON.stringify(found)}\n`;
  const more = known.length - shown.length;
  if (more > 0) tell(`${more} more ACP agents can be installed: "parley install --all" lists them`);
  return table(
    ["NAME", "VERSION", "INSTALLED", { name: "USED", cut: "end" }],
    found.map(({ name, tested, installed, used }) => [
      name,
      tested,
      installed ?? "-",
      "missing" in used ? used.missing : `${used.path} (${WHERE[used.from]})`,
    ]),
  );
}
