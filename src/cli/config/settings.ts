import type { Unattended } from "../../gateway/options.ts";
import type { SyncMode } from "../../log/contract.ts";
import type { ConfiguredAgent, HouseConfig } from "../../server/agents.ts";
import type { LogLevel } from "../../server/logging/log-line.ts";

/** Easy to keep in mind, and used by nothing well known. */
export const DEFAULT_PORT = 7420;

/** A token as such, or the file it is in. */
export type Credential = { token: string } | { file: string };

/** Everything that flags, the environment and files can say. */
export interface Settings {
  host: string;
  port: number;
  dataDir: string;
  /** None: the one in the data directory. */
  credential?: Credential;
  /** None: Parley chooses. */
  defaultAgent?: string;
  agents: Readonly<Record<string, ConfiguredAgent>>;
  /** The models of Parley's own agent. */
  house?: HouseConfig;
  /** The directories that sessions are limited to. None: wherever the user may, on loopback. */
  roots?: readonly string[];
  unattended: Unattended;
  askDeadlineMs: number;
  idleCloseMs: number;
  idleAgents: number;
  retainEvents: number;
  /** Directories whose settings may run code: from the user's configuration, and from a list of their own. */
  trust: { file?: string; configured: readonly string[] };
  sync: SyncMode;
  allowHosts: readonly string[];
  cors: readonly string[];
  keepNative: boolean;
  logLevel: LogLevel;
}

/** What one source says. */
export type Layer = Partial<Settings>;

export function defaultSettings(dataDir: string): Settings {
  return {
    host: "127.0.0.1",
    port: DEFAULT_PORT,
    dataDir,
    agents: {},
    unattended: "wait",
    askDeadlineMs: 30 * 60_000,
    idleCloseMs: 10 * 60_000,
    idleAgents: 8,
    retainEvents: 0,
    trust: { configured: [] },
    sync: "process",
    allowHosts: [],
    cors: [],
    keepNative: true,
    logLevel: "info",
  };
}

function present(layer: Layer): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined));
}

/** Each key comes whole from the strongest layer that has it; agents are joined by name. The strongest layer is the first. */
export function mergeSettings(defaults: Settings, layers: readonly Layer[]): Settings {
  const weakestFirst = layers.toReversed().map(present);
  const agents = Object.assign({}, defaults.agents, ...weakestFirst.map((layer) => layer.agents ?? {}));
  return { ...Object.assign({}, defaults, ...weakestFirst), agents };
}
