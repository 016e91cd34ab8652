import { setTimeout as delay } from "node:timers/promises";
import { createLogger, type ServerLogger } from "../../server/logging/logger.ts";
import { type ParleyOptions, type Server, startServer } from "../../server/parley.ts";
import { databaseSecrets } from "../config/database-password.ts";
import type { Settings } from "../config/settings.ts";
import { rootsOf } from "../context.ts";
import { nodeSettings } from "../serve/node-settings.ts";
import { serverToken } from "../serve/server-token.ts";
import { packageVersion } from "../version.ts";
import type { FoundServer } from "./find-server.ts";

export interface OwnServer extends FoundServer {
  parley: Server;
  logger: ServerLogger;
  close(): Promise<void>;
}

const LAST_REQUESTS_MS = 500;
const LOOK_AGAIN_MS = 1_000;
/** A client of our own that has just left is counted for a moment more. */
const LEAVING_MS = 25;
const LEAVING_LOOKS = 10;

export interface OwnServerOptions extends Pick<ParleyOptions, "ahead"> {
  /** Where it logs to; stderr unless told. */
  fd?: number;
}

/** A server in this process, on a free port of this machine, for as long as a command runs. */
export async function startOwnServer(
  settings: Settings,
  directory: string,
  { fd, ahead }: OwnServerOptions = {},
): Promise<OwnServer> {
  const { dataDir: dataDirectory } = settings;
  const { token } = serverToken(settings);
  const level = settings.logLevel === "info" ? "warn" : settings.logLevel;
  const logger = createLogger({ level, readable: true, secrets: [token, ...databaseSecrets(settings)], fd });
  const parley = await startServer({
    ...settings,
    roots: rootsOf(settings),
    dataDirectory,
    host: "127.0.0.1",
    port: 0,
    advertise: undefined,
    token,
    directory,
    ahead,
    // Prompts that a crash left waiting are for a server that stays.
    resumeQueues: false,
    logger,
    version: packageVersion(),
    // Another server's address is not this one's: this one listens on a port of its own.
    database: nodeSettings({ ...settings, nodeAddress: undefined }),
  });
  return {
    url: parley.url,
    token,
    pid: process.pid,
    fetch: parley.listener.fetch,
    parley,
    logger,
    async close() {
      await parley.stop(LAST_REQUESTS_MS);
      await logger.flush();
    },
  };
}

/** The use that others make of a server: a turn that they watch outside of our session; of one with no session of ours, also an interface that is open on it. */
export interface Use {
  own?: string;
}

/** Whether another command uses this server. */
async function isUsed({ gateway }: Server, { own }: Use): Promise<boolean> {
  if (own === undefined && gateway.attachments.hasInterface) return true;
  const unsettled = await gateway.log.unsettled();
  const isOurs = (id: string, root: string | undefined): boolean => own !== undefined && (id === own || root === own);
  return unsettled.some(({ id, root }) => !isOurs(id, root) && gateway.attachments.watched(id, root));
}

/** A server that another command has found must not vanish under it. `waiting` is called once, if there is one. */
export async function othersDone(parley: Server, use: Use, waiting: () => void, stop: AbortSignal): Promise<void> {
  for (let look = 0; look < LEAVING_LOOKS; look++) {
    if (!(await isUsed(parley, use))) return;
    await delay(LEAVING_MS);
  }
  waiting();
  while (!stop.aborted && (await isUsed(parley, use))) {
    await delay(LOOK_AGAIN_MS, undefined, { signal: stop }).catch(() => {});
  }
}
