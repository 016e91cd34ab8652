import { LOG_LEVELS } from "../../server/logging/log-line.ts";
import { usageError } from "../exit.ts";
import { SYNC, UNATTENDED } from "./choices.ts";
import type { Layer } from "./settings.ts";
import { count, duration, flag, list, oneOf, port, type TextValue, text } from "./text-values.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type Read = (layer: Layer, variable: string, value: string) => void;

function into<K extends keyof Layer>(key: K, kind: TextValue<NonNullable<Layer[K]>>): Read {
  return (layer, variable, value) => {
    const parsed = kind.parse(value);
    if (parsed === undefined) throw usageError(`${variable}: expected ${kind.expected}, got "${value}"`);
    layer[key] = parsed;
  };
}

/** In this order, so that a token beats the file of one. */
export const VARIABLES: Readonly<Record<string, Read>> = {
  PARLEY_HOST: into("host", text),
  PARLEY_PORT: into("port", port),
  PARLEY_DATA_DIR: into("dataDir", text),
  PARLEY_TOKEN_FILE: (layer, _, file) => {
    layer.credential = { file };
  },
  PARLEY_TOKEN: (layer, _, token) => {
    layer.credential = { token };
  },
  PARLEY_AGENT: into("defaultAgent", text),
  PARLEY_ROOTS: into("roots", list),
  PARLEY_UNATTENDED: into("unattended", oneOf(UNATTENDED)),
  PARLEY_ASK_DEADLINE: into("askDeadlineMs", duration),
  PARLEY_IDLE_CLOSE: into("idleCloseMs", duration),
  PARLEY_IDLE_AGENTS: into("idleAgents", count),
  PARLEY_RETAIN_EVENTS: into("retainEvents", count),
  PARLEY_SYNC: into("sync", oneOf(SYNC)),
  PARLEY_ALLOW_HOSTS: into("allowHosts", list),
  PARLEY_CORS: into("cors", list),
  PARLEY_KEEP_NATIVE: into("keepNative", flag),
  PARLEY_LOG_LEVEL: into("logLevel", oneOf(LOG_LEVELS)),
};

/** What the variables PARLEY_* say. An empty one says nothing. */
export function environmentLayer(env: Environment): Layer {
  const layer: Layer = {};
  for (const [variable, read] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value !== undefined && value !== "") read(layer, variable, value);
  }
  return layer;
}
