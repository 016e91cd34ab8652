import type { ParleyClient } from "../../client/index.ts";
import type { Logger } from "../../core/logger.ts";

export interface AcpOptions {
  /** The server whose sessions these are. Asked for by the first request that needs it, so that `initialize` is answered at once. */
  client(): Promise<ParleyClient>;
  /** The agent of new sessions; the server's default agent otherwise. */
  agent?: string;
  version: string;
  logger: Logger;
}
