import type { Exit } from "../../../host/contract.ts";
import type { McpServer } from "../../contract.ts";

/** A server of the program that answers requests. */
export interface RunningServer {
  /** Without a slash at its end, such as http://127.0.0.1:4200. */
  readonly url: string;
  /** Sent with each request: they hold its password. */
  readonly headers: Readonly<Record<string, string>>;
  readonly version?: string;
  /** Whether Parley started it; the others are the user's and are never ended. */
  readonly own: boolean;
  /** It asks Parley before each call of a tool, and is known by this there. */
  readonly gate?: string;
  /** Resolves when it is gone, with its last words. Never, for a server of the user's. */
  readonly gone: Promise<Exit>;
  /** Whether it is stopped where it is, so that its silence means nothing. */
  frozen?(): boolean;
  /** Ends it and all that it started. Does nothing to a server of the user's. */
  kill(graceMs: number): Promise<void>;
}

/** The use of a server by one session or one look at it. A server without any is ended after a while. */
export interface Lease {
  readonly server: RunningServer;
  release(): void;
}

/** Sessions that need the same can share a server. */
export interface ServerNeed {
  directory: string;
  trusted: boolean;
  /** The server asks Parley before each call, because the session has rules. */
  ruled?: boolean;
  /** Servers of tools that a client gave with its session: such a session has a server of its own. */
  mcpServers?: readonly McpServer[];
  /** The session that is served; absent for a look. */
  session?: string;
}

export interface Servers {
  /** A server that answers, started where none runs; `begun` is called when its program starts. Rejects with `SpawnFailed`, in bounded time. */
  lease(need: ServerNeed, begun?: () => void): Promise<Lease>;
  /** Ends all that Parley started, also what is being started. Nothing is leased from then on. */
  close(): Promise<void>;
}
