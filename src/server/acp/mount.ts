import type { Logger } from "../../core/logger.ts";
import type { Mount } from "../http/mounts.ts";
import { once } from "../once.ts";
import type { AcpDoor } from "./door.ts";

export interface AcpMountOptions {
  /** The address of this server, once it listens: the surface is a client of it. */
  url(): string;
  /** Sends a request to this server without a socket. */
  fetch(url: string, init: RequestInit): Promise<Response>;
  token: string | null;
  version: string;
  logger: Logger;
}

export interface AcpMount extends Mount {
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The Agent Client Protocol over HTTP and WebSocket. Nothing of it is loaded before its first request. */
export function acpMount(options: AcpMountOptions): AcpMount {
  let open: AcpDoor | undefined;
  const door = once(async () => {
    const { createAcpDoor } = await import("./door.ts");
    open = createAcpDoor(options);
    return open;
  });
  return {
    match: (path) => path === "/acp",
    load: async () => (await door()).handle,
    loadUpgrade: async () => (await door()).upgrade,
    close: async () => open?.close(),
  };
}
