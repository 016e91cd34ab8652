import { join } from "node:path";
import type { Logger } from "../../core/logger.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { CommandHost } from "../../host/contract.ts";
import { type NameIndex, nameIndex } from "../../host/files/names/file-names.ts";
import { type Git, gitOn } from "../../host/git/git.ts";
import type { Bus } from "./bus.ts";
import { Catalog } from "./catalog/catalog.ts";
import { McpServers } from "./mcp/servers.ts";
import type { Nodes } from "./nodes/contract.ts";
import { GivenEntries } from "./nodes/entries.ts";
import { Projects } from "./workspace/projects.ts";

/** The surroundings of sessions: agents and their models, projects and their files. */
export interface Environment {
  catalog: Catalog;
  projects: Projects;
  commands: CommandHost;
  git: Git;
  /** The names of files, for searches by name. */
  names: NameIndex;
  /** The MCP servers of new sessions. */
  mcp: McpServers;
}

export interface EnvironmentOptions {
  gateway: Gateway;
  bus: Bus;
  commands: CommandHost;
  dataDirectory: string;
  logger: Logger;
  nodes: Nodes | undefined;
}

export function createEnvironment(options: EnvironmentOptions): Environment {
  const { gateway, bus, commands, dataDirectory, logger, nodes } = options;
  const git = gitOn(commands);
  return {
    catalog: new Catalog({
      gateway,
      changed: () => bus.publish(null, "catalog.updated", {}),
      outdated: () => bus.reload(),
      ...(nodes && { given: new GivenEntries(nodes, "defaults") }),
    }),
    projects: new Projects({ file: join(dataDirectory, "opencode-projects.json"), logger, nodes }),
    commands,
    git,
    names: nameIndex(git),
    mcp: new McpServers({ gateway, bus, commands, ...(nodes && { given: new GivenEntries(nodes, "mcp") }) }),
  };
}
