import type { Logger } from "../../core/logger.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import type { Bus } from "./bus.ts";
import type { Environment } from "./environment.ts";

/** The version of OpenCode whose API this is. Clients compare it. */
export const OPENCODE_VERSION = "1.18.33";

/** What the operations share. */
export interface Surface {
  gateway: Gateway;
  clients: SseClients;
  bus: Bus;
  /** Parley's own version. */
  version: string;
  /** The directory of a request that names none. */
  defaultDirectory: string;
  dataDirectory: string;
  /** Agents and their models, projects and their files. */
  environment: Environment;
  logger: Logger;
}
