import type { Agents } from "../agents/contract.ts";
import type { MakeId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import type { Metrics } from "../core/metrics.ts";
import type { PriceTable } from "../core/spending/prices.ts";
import type { CommandHost } from "../host/contract.ts";
import type { Roots } from "../host/files/roots.ts";
import type { Log } from "../log/contract.ts";
import type { Watches } from "./attachments.ts";
import type { Door } from "./door.ts";
import type { McpStore } from "./mcp-servers.ts";
import type { Trust } from "./trust/contract.ts";

/** The answer to a permission while no client is attached. A question is never answered by a policy. */
export type Unattended = "wait" | "deny" | "allow";

export interface GatewayOptions {
  log: Log;
  agents: Agents;
  /** Runs the commands that clients give. */
  processes: CommandHost;
  /** Where sessions may work. */
  roots: Roots;
  /** Which directories the user trusts. */
  trust: Trust;
  /** The MCP servers that clients gave with sessions. */
  mcp: McpStore;
  /** Tells which process owns a session; without one, this process owns all. */
  door?: Door;
  /** Clients that watch through other nodes, where there are any. */
  watches?: Watches;
  /** Hears of the time of the newest event of each session that is taken from the log: later ids must sort behind it. */
  taken?: (time: number) => void;
  /** The agent of a session that names none. */
  defaultAgent: string;
  id: MakeId;
  now: () => number;
  logger: Logger;
  metrics: Metrics;
  unattended: Unattended;
  /** How long an ask waits for a client to come; then it is rejected. */
  askDeadlineMs: number;
  /** How long an agent without work is kept. */
  idleCloseMs: number;
  /** How many agents without work are kept at most. */
  idleAgents: number;
  /** How many events of a session are kept at least; 0 keeps all. */
  retainEvents: number;
  /** Prices of models whose agents tell no cost; the public ones unless given. */
  priceTable?: PriceTable;
}

/** How long an agent that was asked to stop is waited for before its processes are ended. */
export const CANCEL_ASK_MS = 3_000;
/** How long its processes have between TERM and KILL. */
export const CANCEL_TERM_MS = 2_000;
