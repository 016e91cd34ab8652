import { join } from "node:path";
import type { ProcessHost } from "../../host/contract.ts";
import type { Agent, AgentSession, OpenOptions } from "../contract.ts";
import { openLazily } from "../open-lazily.ts";
import type { Discoverer } from "./discovery/discover.ts";
import type { Hubs } from "./follow/hubs.ts";
import type { Gate } from "./gate/gate.ts";
import { copyAt } from "./resumption.ts";
import { needsGate } from "./rulesets.ts";
import type { Servers } from "./serve/contract.ts";
import type { PortRange } from "./serve/ports.ts";

export interface OpenCodeOptions {
  host: ProcessHost;
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The address of a server that the user runs. Absent: Parley starts servers itself. */
  url?: string | undefined;
  /** The ports that its servers may have; 4200 to 4300 unless told. */
  ports?: PortRange | undefined;
  /** How long a server that nobody uses is kept; 5 minutes unless told, 0 for ever. */
  idleMs?: number | undefined;
  /** How long a server may take until it answers; 60 s unless told. */
  readyMs?: number | undefined;
}

/** OpenCode, driven by its server. Nothing of the adapter is loaded before it is asked for. */
export function createOpenCodeAgent(options: OpenCodeOptions): Agent {
  const { host, dataDirectory, env: extra = {}, url, ports, idleMs, readyMs } = options;
  const env = { ...process.env, ...extra };
  const projectSettings: NonNullable<Agent["projectSettings"]> = async (directory) => {
    const { projectSettings } = await import("./discovery/project-settings.ts");
    return projectSettings(directory, env.HOME);
  };
  const reachableSettings: typeof projectSettings = async (directory) => {
    const { reachableSettings } = await import("./discovery/project-settings.ts");
    return reachableSettings(directory, env.HOME);
  };
  const assertHarmless = async (directory: string): Promise<void> => {
    const [{ assertNoPlugins }, { reachablePlugins }] = await Promise.all([
      import("./discovery/plugins.ts"),
      import("./discovery/project-settings.ts"),
    ]);
    assertNoPlugins(directory, await reachablePlugins(directory, env.HOME));
  };
  let starting: Promise<Servers> | undefined;
  let gate: Gate | undefined;
  let hubs: Hubs | undefined;
  let looking: Promise<Discoverer> | undefined;

  const makeServers = async (): Promise<Servers> => {
    if (url !== undefined) {
      const { attachTo } = await import("./serve/attached.ts");
      return attachTo({ url, env, projectSettings: reachableSettings });
    }
    const [{ createServers }, { Gate }] = await Promise.all([import("./serve/servers.ts"), import("./gate/gate.ts")]);
    gate = new Gate(join(dataDirectory, "cache"));
    return createServers({ host, dataDirectory, env: extra, ports, idleMs, readyMs, gate });
  };
  const servers = (): Promise<Servers> => {
    starting ??= makeServers();
    return starting;
  };
  const makeDiscoverer = async (): Promise<Discoverer> => {
    const [{ Discoverer }, there] = await Promise.all([import("./discovery/discover.ts"), servers()]);
    if (url === undefined) return new Discoverer({ servers: there, dataDirectory, env });
    const { addressOf } = await import("./serve/attached.ts");
    return new Discoverer({ servers: there, dataDirectory, env, url: addressOf({ url, env }).url });
  };
  const discoverer = (): Promise<Discoverer> => {
    looking ??= makeDiscoverer();
    return looking;
  };
  const load = async (): Promise<(open: OpenOptions) => AgentSession> => {
    const [{ OpenCodeSession }, { Hubs }, there] = await Promise.all([
      import("./session.ts"),
      import("./follow/hubs.ts"),
      servers(),
    ]);
    hubs ??= new Hubs();
    const shared = { servers: there, hubs, gate, assertHarmless };
    return (open) => new OpenCodeSession(shared, open);
  };
  return {
    name: "opencode",
    capabilities: { fork: "point", rewind: "point", compact: true, mcp: ["stdio", "http", "sse"] },
    ruledAtStart: needsGate,
    takesInstructions: true,
    copyAt,
    discoversProjects: true,
    discover: async (project) => (await discoverer()).discover(project),
    sessions: async (project) => (await discoverer()).sessions(project),
    async ahead(project, begun) {
      (await (await servers()).lease(project, begun)).release();
    },
    async usable() {
      if (url !== undefined) return true;
      const [{ findOpenCode }, { hasCredentials }] = await Promise.all([
        import("./serve/find-program.ts"),
        import("./discovery/places.ts"),
      ]);
      return !("missing" in (await findOpenCode({ dataDirectory, env }))) && hasCredentials(env);
    },
    projectSettings,
    open: (open) => openLazily(open, load, ["steer", "compact", "decide"]),
    close: async () => {
      await (await starting)?.close();
      await gate?.close();
    },
  };
}
