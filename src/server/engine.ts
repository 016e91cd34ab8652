import { neverBack } from "../core/clock.ts";
import { ParleyError } from "../core/errors.ts";
import { idSource } from "../core/ids.ts";
import type { Metrics } from "../core/metrics.ts";
import { Gateway } from "../gateway/gateway.ts";
import type { CommandHost } from "../host/contract.ts";
import type { Roots } from "../host/files/roots.ts";
import type { Terminals } from "../host/terminals/contract.ts";
import { OpenTerminals } from "../host/terminals/terminals.ts";
import type { Log } from "../log/contract.ts";
import { SseClients } from "../surfaces/stream/sse-clients.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { Cluster } from "./cluster/cluster.ts";
import { mcpStore } from "./mcp-store.ts";
import type { ParleyOptions } from "./parley.ts";
import { loadPrices } from "./prices.ts";

/** The parts of a server that do its work: agents, their programs, and the gateway to them. Probes need none of them. */
export interface Engine {
  gateway: Gateway;
  clients: SseClients;
  commands: CommandHost;
  terminals: Terminals;
  /** Lets every agent go. */
  close(): Promise<void>;
}

export interface EngineParts {
  log: Log;
  cluster: Cluster | undefined;
  metrics: Metrics;
  roots: Roots;
  agents: AgentParts;
  /** When the last event was made. */
  newest: number;
}

/** So many of the newest sessions have their agents listed. */
const LISTED_SESSIONS = 50;

/** Starts them, and closes the turns that an earlier crash left open. */
export async function startEngine(parts: EngineParts, options: ParleyOptions): Promise<Engine> {
  const { log, cluster, metrics, roots, newest } = parts;
  const { keeping, commands, agents, trust } = parts.agents;
  const { dataDirectory, logger } = options;
  const terminals = new OpenTerminals({ ...keeping, id: idSource(Date.now) });
  const defaultAgent = await parts.agents.defaultAgent();
  if (!agents.get(defaultAgent))
    throw new ParleyError("agent_not_found", agents.objection(defaultAgent) ?? `no agent ${defaultAgent}`);
  const priceTable = options.prices === undefined ? undefined : await loadPrices(options.prices);
  const gateway = new Gateway({
    ...options,
    priceTable,
    log,
    agents,
    processes: commands,
    roots,
    trust,
    mcp: cluster?.mcp ?? mcpStore(dataDirectory),
    ...(cluster && { door: cluster.door, watches: cluster.watches, taken: cluster.taken }),
    defaultAgent,
    id: idSource(cluster?.idTime ?? Date.now, newest),
    now: neverBack(Date.now, () => performance.now()),
    metrics,
  });
  cluster?.start(gateway);
  const closed = await gateway.tenure.recover();
  if (closed > 0) logger.warn({ turns: closed }, "closed turns that an earlier crash had left open");
  // An agent that only its name makes is listed because a session has it.
  for (const { agent } of await log.list({ parent: null, limit: LISTED_SESSIONS })) agents.get(agent);
  return {
    gateway,
    clients: new SseClients(metrics),
    commands,
    terminals,
    async close() {
      await Promise.all([gateway.shutdown(), terminals.close()]);
      await agents.close();
    },
  };
}
