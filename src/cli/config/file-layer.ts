import { dirname } from "node:path";
import type { ConfiguredAgent } from "../../server/agents.ts";
import { parseDuration } from "./duration.ts";
import { expandPath } from "./places.ts";
import type { ConfigFile } from "./schema.ts";
import type { Layer } from "./settings.ts";

/** A program by its path is meant where the file stands, not where some session will run; a bare name is looked for in PATH. */
function program(name: string, home: string, from: string): string {
  return name.includes("/") ? expandPath(name, home, from) : name;
}

/** What a configuration file says, in the words of the settings. */
export function layerOf(config: ConfigFile, file: string, home: string): Layer {
  const { $schema, trust, token, askDeadline, idleClose, dataDir, roots, agents, ...same } = config;
  const from = dirname(file);
  const layer: Layer = same;
  if (token !== undefined) layer.credential = { token };
  if (askDeadline !== undefined) layer.askDeadlineMs = parseDuration(askDeadline);
  if (idleClose !== undefined) layer.idleCloseMs = parseDuration(idleClose);
  if (dataDir !== undefined) layer.dataDir = expandPath(dataDir, home, from);
  if (roots !== undefined) layer.roots = roots.map((root) => expandPath(root, home, from));
  if (agents !== undefined) {
    const entries = Object.entries(agents).map(([name, { command, ...rest }]): [string, ConfiguredAgent] => {
      const [first, ...others] = command;
      return [name, { ...rest, command: [program(first, home, from), ...others] }];
    });
    layer.agents = Object.fromEntries(entries);
  }
  return layer;
}
