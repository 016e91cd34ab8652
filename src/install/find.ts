import { homedir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../host/find-program.ts";
import { binaryVariable, INSTALLABLE, type Installable, type InstallableName } from "./catalog.ts";
import { chosenInstallation } from "./layout.ts";

export interface FoundBinary {
  path: string;
  from: "variable" | "parley" | "path" | "home";
  /** Known without running it. */
  version?: string;
}

/** `missing` says why, and what to do. */
export type BinarySearch = FoundBinary | { missing: string };

export interface SearchOptions {
  /** Where Parley installs agents: see `agentsDirectory`. */
  agents: string;
  env?: Readonly<Record<string, string | undefined>>;
}

/** The program of an agent: the one the user names, else the one Parley installed, else the one of the search path, else the one that its own installer put into the home directory. */
export async function findAgentBinary(name: InstallableName, options: SearchOptions): Promise<BinarySearch> {
  const { agents, env = process.env } = options;
  const { program, homePlaces = [] }: Installable = INSTALLABLE[name];
  const variable = binaryVariable(name);
  const named = env[variable];
  if (named) {
    const path = await findProgram(named, env.PATH);
    return path
      ? { path, from: "variable" }
      : { missing: `${variable} names ${named}, which is no program: correct it, or unset it` };
  }
  const installed = chosenInstallation(agents, name);
  if (installed) return { ...installed, from: "parley" };
  const path = await findProgram(program, env.PATH ?? "");
  if (path) return { path, from: "path" };
  for (const place of homePlaces) {
    const there = await findProgram(join(env.HOME || homedir(), place));
    if (there) return { path: there, from: "home" };
  }
  return { missing: `${program} was not found: run "parley install ${name}", or set ${variable} to its path` };
}
