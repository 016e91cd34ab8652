import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { readLock } from "../../host/data-lock.ts";
import { tokenPath } from "../../server/guards/token.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../exit.ts";
import { credentialToken, readTokenFile } from "../serve/server-token.ts";

export interface FoundServer {
  url: string;
  token?: string;
  pid: number;
  /** Of a server in this process: sends a request to it without a socket. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** How long a server that has just been started may take to say where it listens. */
const STARTING_MS = 10_000;
const LOOK_MS = 20;

/** The token for the server of a data directory: the one that was given, else the one that the server made. */
export function clientToken({ credential, dataDir }: Settings): string | undefined {
  if (credential) return credentialToken(credential);
  return existsSync(tokenPath(dataDir)) ? readTokenFile(tokenPath(dataDir)) : undefined;
}

/** The server that runs on the data directory, if one does. */
export async function findServer(settings: Settings): Promise<FoundServer | undefined> {
  const deadline = performance.now() + STARTING_MS;
  for (;;) {
    const owner = readLock(settings.dataDir);
    if (!owner) return undefined;
    if (owner.url !== undefined) return { url: owner.url, token: clientToken(settings), pid: owner.pid };
    if (performance.now() > deadline) {
      throw new CliError(
        `process ${owner.pid} holds ${settings.dataDir} but does not say where it listens: end it first`,
      );
    }
    await delay(LOOK_MS);
  }
}
