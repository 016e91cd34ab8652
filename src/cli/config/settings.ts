import { present } from "../../core/json/fields.ts";
import type { Kind } from "./kinds.ts";
import { SETTINGS, type Setting, type Table } from "./table.ts";

type Rows = typeof SETTINGS;
type Property<K extends keyof Rows> = Rows[K] extends { sets: infer S extends string } ? S : K;
type Value<K extends keyof Rows> = Rows[K]["kind"] extends Kind<infer T> ? T : never;
type WithDefault = { [K in keyof Rows]: Rows[K] extends { default: string } ? K : never }[keyof Rows];

/** The settings of one source: flags, the environment or a file. */
export type Layer = { [K in keyof Rows as Property<K>]?: Value<K> };

/** The settings of all sources together. */
export type Settings = Omit<Layer, "trusted"> & { [K in WithDefault as Property<K>]: Value<K> } & {
  agents: NonNullable<Layer["agents"]>;
  /** Directories whose settings may run code: from the user's configuration, and from the file that `parley trust` keeps. */
  trust: { file?: string; configured: readonly string[] };
};

/** Each setting, with its name in files and the property that it sets. */
export function settingsIn(table: Table): { name: string; property: string; setting: Setting }[] {
  return Object.entries(table).map(([name, setting]) => ({ name, property: setting.sets ?? name, setting }));
}

/** Makes a layer of one source. Of two settings with the same property the first counts. */
export function layerFrom(table: Table, read: (setting: Setting, name: string) => unknown): Layer {
  const layer: Record<string, unknown> = {};
  for (const { name, property, setting } of settingsIn(table)) {
    const value = read(setting, name);
    if (value !== undefined) layer[property] ??= value;
  }
  return layer;
}

export function defaultSettings(dataDir: string, table: Table = SETTINGS): Settings {
  const defaults = layerFrom(table, ({ kind, default: text }) => (text === undefined ? undefined : kind.parse(text)));
  return { ...(defaults as Settings), dataDir, agents: {}, trust: { configured: [] } };
}

/** Makes every path in a layer absolute. */
export function resolved<L extends Layer>(layer: L, path: (path: string) => string, table: Table = SETTINGS): L {
  const values: Record<string, unknown> = { ...layer };
  for (const { property, setting } of settingsIn(table)) {
    if (values[property] !== undefined && setting.kind.resolve)
      values[property] = setting.kind.resolve(values[property], path);
  }
  return values as L;
}

/** Each key comes whole from the strongest layer that has it; agents are joined by name. The strongest layer is the first. */
export function mergeSettings(defaults: Settings, layers: readonly Layer[]): Settings {
  const weakestFirst = layers.toReversed().map((layer): Layer => present(layer));
  const agents = Object.assign({}, defaults.agents, ...weakestFirst.map((layer) => layer.agents ?? {}));
  return { ...Object.assign({}, defaults, ...weakestFirst), agents };
}
