import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import type { ProjectSetting } from "../../core/trust.ts";
import type { CommandHost, ProcessHost } from "../../host/contract.ts";
import type { Agent, AgentModel } from "../contract.ts";
import { createAcpAgent } from "./agent.ts";
import type { Search, SearchPlaces } from "./known/find.ts";
import { projectFiles } from "./known/project-files.ts";

export interface AcpPlaces extends SearchPlaces {
  host: ProcessHost & CommandHost;
}

/** The facts of an ACP agent that are known before its program runs. */
export interface AcpFacts {
  name: string;
  title?: string;
  env?: Readonly<Record<string, string>>;
  login?: string;
  /** The files of a project that it runs things from; those of all known agents unless told. */
  files?: readonly string[];
  models?: AgentModel[];
  readyMs?: number;
  search(): Search;
}

/** A program of the project itself, where the user's search path leads into the directory: it is a setting like others. */
function programInside(found: Search, directory: string): ProjectSetting[] {
  if ("missing" in found || !found.searched) return [];
  const way = relative(realPath(directory), realPath(found.argv[0]));
  const named = relative(directory, found.argv[0]);
  return [way, named]
    .filter((one) => !one.startsWith("..") && !isAbsolute(one))
    .map((path) => ({ path }))
    .slice(0, 1);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** An ACP agent whose program is looked for at each start. */
export function foundAgent({ files, search, ...facts }: AcpFacts, { host, dataDirectory, env }: AcpPlaces): Agent {
  return createAcpAgent({
    ...facts,
    host,
    dataDirectory,
    argv: async () => search(),
    ownProgram: (directory) => programInside(search(), directory),
    projectSettings: async (directory) => [
      ...programInside(search(), directory),
      ...(await projectFiles(directory, env.HOME, files)),
    ],
  });
}
