import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { AlreadyRunning } from "../../server/parley.ts";
import { type FoundServer, findServer } from "../access/find-server.ts";
import { othersDone, startOwnServer } from "../access/own-server.ts";
import type { Settings } from "../config/settings.ts";
import { startProblem } from "../serve/problems.ts";
import { tell } from "../tell.ts";

export interface UsedServer extends FoundServer {
  /** Ends a server of our own, when nobody else uses it any more. */
  leave(stop: AbortSignal): Promise<void>;
}

/** A server that was found may be leaving at that moment: then the next look finds another, or none. */
const TRIES = 5;

/** The interface has the whole terminal: what the server says goes to a file beside the log. */
async function startOwn(settings: Settings, directory: string): Promise<UsedServer> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const fd = openSync(join(settings.dataDir, "opencode.log"), "a", 0o600);
  const own = await startOwnServer(settings, directory, fd).catch((thrown: unknown) => {
    closeSync(fd);
    throw thrown;
  });
  return {
    url: own.url,
    token: own.token,
    pid: own.pid,
    async leave(stop) {
      await othersDone(own.parley, "", () => tell("another client works through this server: waiting for it"), stop);
      await own.close();
      closeSync(fd);
    },
  };
}

/** The server of the data directory, or one of our own for as long as we need it. */
export async function useServer(settings: Settings, directory: string): Promise<UsedServer> {
  for (let left = TRIES - 1; ; left--) {
    const found = await findServer(settings);
    if (found) return { ...found, leave: async () => {} };
    try {
      return await startOwn(settings, directory);
    } catch (thrown) {
      if (!(thrown instanceof AlreadyRunning) || left === 0) throw startProblem(thrown, settings);
    }
  }
}
