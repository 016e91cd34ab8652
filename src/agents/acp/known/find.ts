import { findInSearchPath, isFile } from "../../../host/search-path.ts";
import { agentsDirectory, chosenInstallation, type Installed } from "../../../install/layout.ts";
import type { KnownEntry } from "./entry.ts";
import { waysTo } from "./known.ts";

export type Argv = readonly [string, ...string[]];

/** A program that is there; `detail` says where, for people. */
export interface Found {
  argv: Argv;
  detail: string;
  /** It was found by its name in the search path. */
  searched?: true;
  /** Known without running it. */
  version?: string;
}

/** `missing` says why, and what to do. */
export type Search = Found | { missing: string };

export interface SearchPlaces {
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** A word that a shell takes for a variable, set for the program behind it. */
const VARIABLE = /^[A-Za-z_]\w*=/;

/** The program of a command line, in the search path. */
export function findCommand([program, ...args]: Argv, { env }: Pick<SearchPlaces, "env">): Search {
  const path = findInSearchPath(program, env.PATH ?? "");
  if (path !== undefined)
    return { argv: [path, ...args], detail: path, ...(path === program ? {} : { searched: true }) };
  return { missing: `${program} ${lackOf(program)}` };
}

/** Why a program cannot be run, and what to do. */
function lackOf(program: string): string {
  if (VARIABLE.test(program))
    return `was not found in the search path: there is no shell, so write "acp:env ${program} …", or an entry of "agents" with "env"`;
  if (!program.startsWith("/")) return "was not found in the search path: correct the name, or install it";
  if (isFile(program)) return `is no program (not executable: chmod +x ${program})`;
  return "is no program: correct the name, or install it";
}

/** The program of a known agent: that of the search path, else the one that Parley installed. */
export function findKnown(entry: KnownEntry, { dataDirectory, env }: SearchPlaces): Search {
  const { name, programs, args, shares } = entry;
  for (const program of programs) {
    const path = findInSearchPath(program, env.PATH ?? "");
    if (path !== undefined) return { argv: [path, ...args], detail: path, searched: true };
  }
  const installed = chosenInstallation(agentsDirectory(dataDirectory), shares ?? name);
  if (installed)
    return { argv: [...commandOf(installed), ...args], detail: installed.path, version: installed.version };
  return { missing: `${programs.join(" or ")} was not found: ${waysTo(entry)}` };
}

/** A script is run by our own Node: another one in the search path may be too old. */
export function commandOf({ path, node }: Pick<Installed, "path" | "node">): [string, ...string[]] {
  return node ? [process.execPath, path] : [path];
}
