import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { FoundServer } from "../access/find-server.ts";
import { type OwnServer, othersDone, startOwnServer } from "../access/own-server.ts";
import { useServer } from "../access/use-server.ts";
import type { Settings } from "../config/settings.ts";
import { tell } from "../tell.ts";

export interface UsedServer extends FoundServer {
  /** Ends a server of our own, when nobody else uses it any more. */
  leave(stop: AbortSignal): Promise<void>;
}

/** The interface has the whole terminal: the server logs to a file in the data directory. */
async function startOwn(settings: Settings, directory: string): Promise<OwnServer> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const fd = openSync(join(settings.dataDir, "opencode.log"), "a", 0o600);
  try {
    const own = await startOwnServer(settings, directory, { fd });
    return { ...own, close: () => own.close().finally(() => closeSync(fd)) };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

/** The server of the data directory, or one of our own for as long as we need it. */
export function serverFor(settings: Settings, directory: string): Promise<UsedServer> {
  return useServer(
    settings,
    () => startOwn(settings, directory),
    async (server, own) => ({
      ...server,
      async leave(stop) {
        if (!own) return;
        await othersDone(
          own.parley,
          { own: "" },
          () => tell("another client works through this server: waiting for it"),
          stop,
        );
        await own.close();
      },
    }),
  );
}
