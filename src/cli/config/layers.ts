import { dirname } from "node:path";
import { usageError } from "../exit.ts";
import { type Environment, expandPath } from "./paths.ts";
import type { ConfigFile } from "./schema.ts";
import { type Layer, layerFrom, resolved } from "./settings.ts";
import { SETTINGS, type Table } from "./table.ts";

/** The settings in the variables PARLEY_*. An empty variable says nothing. */
export function environmentLayer(env: Environment, table: Table = SETTINGS): Layer {
  return layerFrom(table, ({ variable = "", kind }) => {
    const value = env[variable];
    if (value === undefined || value === "") return undefined;
    const parsed = kind.parse(value);
    if (parsed !== undefined) return parsed;
    throw usageError(`${variable}: expected ${kind.expected}, got ${kind.secret ? "another text" : `"${value}"`}`);
  });
}

/** The settings in a configuration file. A relative path starts at the file. */
export function fileLayer(config: ConfigFile, file: string, home: string, table: Table = SETTINGS): Layer {
  const layer = layerFrom(table, ({ kind }, name) => {
    const value = config[name];
    return typeof value === "string" ? kind.parse(value) : value;
  });
  return resolved(layer, (path) => expandPath(path, home, dirname(file)), table);
}
