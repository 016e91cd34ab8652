import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, normalize, sep } from "node:path";

/** The description of an installation, written last: without it the installation is broken. */
export interface Installation {
  version: string;
  /** Relative to the installation's directory. */
  program: string;
  /** The program is a script for Node. */
  node?: true;
}

export interface Installed {
  version: string;
  /** The program, as an absolute path. */
  path: string;
  /** The program is a script for Node. */
  node?: true;
}

const FACTS = "installed.json";
const CHOSEN = "chosen";

export const agentsDirectory = (dataDirectory: string): string => join(dataDirectory, "agents");
export const agentDirectory = (agents: string, name: string): string => join(agents, name);
export const versionDirectory = (agents: string, name: string, version: string): string =>
  join(agentDirectory(agents, name), version);

function staysInside(path: string): boolean {
  return !isAbsolute(path) && !normalize(path).split(sep).includes("..");
}

function readFacts(directory: string): Installation | undefined {
  try {
    const { version, program, node } = JSON.parse(readFileSync(join(directory, FACTS), "utf8")) as Record<
      string,
      unknown
    >;
    if (typeof version !== "string" || typeof program !== "string" || !staysInside(program)) return undefined;
    return { version, program, ...(node === true ? { node } : {}) };
  } catch {
    return undefined;
  }
}

export function writeFacts(directory: string, facts: Installation): void {
  writeFileSync(join(directory, FACTS), `${JSON.stringify(facts)}\n`);
}

/** A version that was installed whole and still has its program. */
export function readInstalled(agents: string, name: string, version: string): Installed | undefined {
  const directory = versionDirectory(agents, name, version);
  const facts = readFacts(directory);
  if (facts?.version !== version) return undefined;
  const path = join(directory, facts.program);
  try {
    if ((statSync(path).mode & 0o111) === 0) return undefined;
    return { version, path, ...(facts.node ? { node: true } : {}) };
  } catch {
    return undefined;
  }
}

/** The version that was installed last is the one in use. */
export function chooseVersion(agents: string, name: string, version: string): void {
  const file = join(agentDirectory(agents, name), CHOSEN);
  writeFileSync(`${file}.draft`, `${version}\n`);
  renameSync(`${file}.draft`, file);
}

export function chosenInstallation(agents: string, name: string): Installed | undefined {
  try {
    const version = readFileSync(join(agentDirectory(agents, name), CHOSEN), "utf8").trim();
    return readInstalled(agents, name, version);
  } catch {
    return undefined;
  }
}
