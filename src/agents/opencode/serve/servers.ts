import { present } from "../../../core/json/fields.ts";
import { type ProcessHost, SpawnFailed } from "../../../host/contract.ts";
import type { Gate } from "../gate/gate.ts";
import type { Lease, ServerNeed, Servers } from "./contract.ts";
import { findOpenCode } from "./find-program.ts";
import { type KeepTimes, KeptServer } from "./kept-server.ts";
import { giveMcpServers } from "./mcp.ts";
import { PORTS, type PortRange } from "./ports.ts";
import { startServer } from "./start.ts";

const READY_MS = 60_000;
const IDLE_MS = 5 * 60_000;
const GRACE_MS = 2_000;
const PURE =
  "OPENCODE_PURE keeps plugins out, and with them the one by which the session's rules hold: unset it, or take the rules away";

export interface ServersOptions extends Omit<KeepTimes, "idleMs"> {
  host: ProcessHost;
  /** Parley's, in which it installs agents. */
  dataDirectory: string;
  /** Added to Parley's own environment. */
  env?: Readonly<Record<string, string | undefined>>;
  ports?: PortRange | undefined;
  /** How long a server that nobody uses is kept; 0 for ever. */
  idleMs?: number | undefined;
  /** How long a start may take. */
  readyMs?: number | undefined;
  /** Where servers for sessions with rules ask before each call. */
  gate?: Pick<Gate, "launch">;
}

/**
 * The servers that Parley runs: one for all directories that are trusted, one for all that are not, each of these once more for sessions with rules, and one for each
 * session that has servers of tools of its own. A server costs much memory, and a further directory in it little.
 */
export function createServers(options: ServersOptions): Servers {
  const { host, dataDirectory, env = {}, ports = PORTS, readyMs = READY_MS, idleMs = IDLE_MS } = options;
  const closing = new AbortController();
  const shared = new Map<string, Promise<KeptServer>>();
  const running = new Set<Promise<KeptServer>>();

  const start = async (need: ServerNeed, session: string, begun?: () => void): Promise<KeptServer> => {
    const found = await findOpenCode({ dataDirectory, env: { ...process.env, ...env } });
    const { directory } = need;
    if ("missing" in found) throw new SpawnFailed(found.missing, { argv: ["opencode", "serve"], directory });
    if (closing.signal.aborted) throw new SpawnFailed("Parley is closing", { argv: [found.path, "serve"], directory });
    if (need.ruled && isPure({ ...process.env, ...env }))
      throw new SpawnFailed(PURE, { argv: [found.path, "serve"], directory });
    const launch = { host, program: found.path, env, ports, readyMs, signal: closing.signal, ...present({ begun }) };
    const gate = need.ruled ? await options.gate?.launch() : undefined;
    const starting = startServer(launch, { ...need, session, ...(gate ? { gate } : {}) });
    if (gate) starting.then(({ gone }) => void gone.then(gate.forget), gate.forget);
    const server = await starting;
    return new KeptServer({ ...server, frozen: () => host.frozen?.() ?? false }, { ...options, idleMs });
  };
  const begin = (need: ServerNeed, session: string, begun?: () => void): Promise<KeptServer> => {
    const starting = start(need, session, begun);
    running.add(starting);
    const forget = (): void => void running.delete(starting);
    starting.then(({ server }) => void server.gone.then(forget), forget);
    return starting;
  };

  /** The server that several sessions share: the one that runs or is being started, else a new one. */
  const sharedFor = async (need: ServerNeed, begun?: () => void): Promise<KeptServer> => {
    const name = `opencode${need.trusted ? "" : "-untrusted"}${need.ruled ? "-ruled" : ""}`;
    const known = shared.get(name);
    // A start that failed for another lease failed for this one, too.
    if (known && (await (await known).answers())) return known;
    if (shared.get(name) !== known) return sharedFor(need, begun);
    const starting = begin(need, name, begun);
    shared.set(name, starting);
    starting.catch(() => {
      if (shared.get(name) === starting) shared.delete(name);
    });
    return starting;
  };

  return {
    async lease(need, begun): Promise<Lease> {
      const forSession = need.session !== undefined;
      if ((need.mcpServers ?? []).length === 0) return (await sharedFor(need, begun)).lease(forSession);
      const own = await begin(need, need.session ?? "opencode-own", begun);
      const lease = own.lease(forSession);
      await giveMcpServers(lease.server, need);
      return {
        server: lease.server,
        release() {
          lease.release();
          void own.end(GRACE_MS);
        },
      };
    },
    async close() {
      closing.abort();
      await Promise.all([...running].map((one) => one.then((kept) => kept.end(GRACE_MS)).catch(() => {})));
    },
  };
}

/** As the program reads its switches. */
function isPure({ OPENCODE_PURE = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return ["1", "true", "yes", "on", "y"].includes(OPENCODE_PURE.toLowerCase());
}
