import type { ParleyClient } from "../../client/index.ts";
import type { Logger } from "../../core/logger.ts";

/** The sessions that a client has open, as the client or the server goes. */
export interface ClientSessions {
  /** Resolves when every prompt of the client has its end. */
  rest(): Promise<void>;
  /** The client goes, and still hears how its turns end. */
  leave(): Promise<void>;
  /** The server is gone, and the client is still there. */
  end(): Promise<void>;
  /** The client is gone. */
  close(): Promise<void>;
}

/** The agent of one connection, for clients of one version. */
export interface VersionApp<App> {
  app: App;
  sessions: ClientSessions;
}

export interface AcpOptions {
  /** The server whose sessions these are. Asked for by the first request that needs it, so that `initialize` is answered at once. */
  client(): Promise<ParleyClient>;
  /** The agent of new sessions; the server's default agent otherwise. */
  agent?: string;
  /** Whether the server ends with the client: prompts that wait are taken back then, since they would run where nobody expects them. */
  endsWithClient?(): boolean;
  version: string;
  /** An agent that takes so long to start is told of in the log; ten seconds unless told. */
  slowMs?: number;
  logger: Logger;
}
