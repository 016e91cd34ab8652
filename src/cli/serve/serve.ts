import type { ClusterSettings } from "../../server/cluster/cluster.ts";
import { isExposed } from "../../server/guards/advertised.ts";
import { refuseBind } from "../../server/guards/bind-guard.ts";
import { installShutdown } from "../../server/lifecycle/shutdown.ts";
import { createLogger } from "../../server/logging/logger.ts";
import { startLate } from "../../server/parley.ts";
import { assertNoPassword, databaseSecrets } from "../config/database-password.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Layer, Settings } from "../config/settings.ts";
import { configure, directoryOf, rootsOf } from "../context.ts";
import { usageError } from "../exit.ts";
import { stopSignals } from "../launcher/signals.ts";
import { launcherEnd } from "../launcher/watch.ts";
import { clearKeyEcho } from "../output/key-echo.ts";
import { packageVersion } from "../version.ts";
import { type Greeting, greet } from "./greeting.ts";
import { type ServerToken, serverToken } from "./server-token.ts";

export interface ServeOptions {
  flags: Layer;
  insecureNoAuth?: boolean;
  dir?: string;
  json?: boolean;
  /** The configuration, where a command has loaded it already: secrets are no longer where it came from. */
  loaded?: LoadedConfig;
  /** Says where the server is, in place of the usual lines. */
  greet?: (greeting: Greeting) => Promise<void>;
}

/** The surfaces are imported when the first client would have to wait for them, but not before the first probe. */
const WARM_AFTER_MS = 150;

async function chosenToken(
  settings: Settings,
  noAuth: boolean,
): Promise<ServerToken | { token: null; file?: undefined }> {
  try {
    return noAuth ? { token: null } : serverToken(settings);
  } catch (thrown) {
    throw await problemOf(thrown, settings);
  }
}

async function problemOf(thrown: unknown, settings: Settings): Promise<unknown> {
  const { startProblem } = await import("./problems.ts");
  return startProblem(thrown, settings);
}

async function portFor({ host, port }: Settings, chosen: boolean): Promise<number> {
  if (chosen) return port;
  const { choosePort } = await import("./port.ts");
  return choosePort(host, port);
}

async function databaseOf(settings: Settings): Promise<ClusterSettings | undefined> {
  if (settings.databaseUrl === undefined) return undefined;
  const { nodeSettings } = await import("./node-settings.ts");
  return nodeSettings(settings);
}

/** A server that others can reach is limited to the directory that it was started for, unless roots are set. */
function servedRoots(settings: Settings, directory: string): string[] {
  return rootsOf(settings) ?? (isExposed(settings.host, settings.advertise) ? [directory] : []);
}

/** Serves until a signal ends the process; returns only when it could not start. */
export async function serve(options: ServeOptions): Promise<number> {
  const directory = directoryOf(options.dir);
  assertNoPassword(options.flags);
  const { settings, portChosen } = options.loaded ?? (await configure(options.flags, directory));
  if (settings.databaseUrl !== undefined && !settings.credential && options.insecureNoAuth !== true)
    throw usageError(
      "nodes that share a database have one token, which is given, never made: set PARLEY_TOKEN or --token-file to the same on each",
    );
  const refusal = refuseBind(settings.host, options.insecureNoAuth !== true, settings.advertise);
  if (refusal !== undefined) throw usageError(refusal);
  const roots = servedRoots(settings, directory);
  const { token, file } = await chosenToken(settings, options.insecureNoAuth === true);
  const readable = process.stderr.isTTY === true;
  const logger = createLogger({
    level: settings.logLevel,
    readable,
    colour: readable && !process.env.NO_COLOR,
    secrets: [...(token === null ? [] : [token]), ...databaseSecrets(settings)],
  });
  const port = await portFor(settings, portChosen);
  const { dataDir: dataDirectory } = settings;
  const version = packageVersion();
  const parley = await startLate({
    ...settings,
    roots,
    port,
    dataDirectory,
    token,
    directory,
    logger,
    version,
    database: await databaseOf(settings),
    onDrained: () => process.kill(process.pid, "SIGTERM"),
  }).catch(async (thrown: unknown) => {
    await logger.flush();
    throw await problemOf(thrown, settings);
  });
  if (port !== settings.port) logger.warn({ port: settings.port }, "the usual port is taken: using a free one");
  process.on("SIGINT", () => clearKeyEcho(process.stderr));
  installShutdown({
    listener: parley.listener,
    cutStreams: parley.cutStreams,
    onDrain: [parley.close],
    abandon: parley.abandon,
    log: logger,
    flush: logger.flush,
    signals: stopSignals(),
    launcherEnd: launcherEnd(),
  });
  if (process.pid === 1) {
    logger.warn(
      {},
      "runs as the first process of a container: start that with an init (docker run --init), or ended processes pile up",
    );
  }
  const { advertise } = settings;
  const address = advertise === undefined ? { url: parley.url } : { url: advertise, bound: parley.url };
  const others = advertise === undefined ? parley.others : [];
  const dataFlag = options.flags.dataDir === undefined ? undefined : dataDirectory;
  const greeting = { ...address, others, token, tokenFile: file, dataDirectory, dataFlag, roots };
  if (options.greet) await options.greet(greeting);
  else greet(greeting, { json: options.json === true, readable, log: logger });
  const warm = async (): Promise<void> => {
    try {
      await parley.listener.warm();
    } catch (thrown) {
      // A server that is being stopped loads nothing more; else the requests that need it tell again.
      logger.warn({ err: thrown }, "could not load ahead of the first request");
    }
  };
  setTimeout(() => void warm(), WARM_AFTER_MS).unref();
  return new Promise(() => {});
}
