import type { Logger } from "../../core/logger.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Terminals } from "../../host/terminals/contract.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import type { Bus } from "./bus.ts";
import type { Environment } from "./environment.ts";
import type { Nodes, Told } from "./nodes/contract.ts";
import type { Elsewhere } from "./nodes/elsewhere.ts";
import type { PtyTickets } from "./pty/tickets.ts";
import type { EventHub } from "./streams/hub.ts";

/** The version of OpenCode whose API this is. Clients compare it. */
export const OPENCODE_VERSION = "1.18.33";

/** The parts that all operations use. */
export interface Surface {
  gateway: Gateway;
  clients: SseClients;
  bus: Bus;
  hub: EventHub;
  ptys: { terminals: Terminals; tickets: PtyTickets };
  /** Parley's own version. */
  version: string;
  /** The address that clients are told, where it is not the one that they call. */
  advertised?: string;
  /** The directory of a request that names none. */
  defaultDirectory: string;
  dataDirectory: string;
  /** Agents and their models, projects and their files. */
  environment: Environment;
  /** The nodes that share the log, and what they say of directories that are not here; absent where the server is alone. */
  nodes: Nodes | undefined;
  elsewhere: Elsewhere | undefined;
  /** Takes a word of another node's surface. */
  hear(told: Told): void;
  logger: Logger;
}
