import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { isParleyError } from "../core/errors.ts";
import type { ParleyEvent } from "../core/events/event.ts";
import type { Logger } from "../core/logger.ts";
import { createMetrics, type Metrics } from "../core/metrics.ts";
import { within } from "../core/within.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Unattended } from "../gateway/options.ts";
import { acquireLock, type LockHeld, type LockOwner } from "../host/data-lock.ts";
import { Roots } from "../host/files/roots.ts";
import { killAll, killNow, reap } from "../host/reaper.ts";
import type { Log, SyncMode } from "../log/contract.ts";
import { type OpenLogOptions, openLog } from "../log/data-log.ts";
import { worktreesFolder } from "../surfaces/opencode/worktrees/folder.ts";
import { acpMount } from "./acp/mount.ts";
import type { AgentParts, Ahead } from "./agent-parts.ts";
import type { AgentSettings } from "./agents.ts";
import type { Cluster, ClusterOptions, ClusterSettings } from "./cluster/cluster.ts";
import { CODE_MS, ConsoleCodes } from "./console/codes.ts";
import { consoleMount } from "./console/mount.ts";
import { Authenticator } from "./guards/auth.ts";
import { reachableUrls, urlFor } from "./guards/reachable.ts";
import { createListener, type HttpListener } from "./http/listener.ts";
import { instanceOf } from "./instance.ts";
import { type LateEngine, lateEngine } from "./late-engine.ts";
import { giveMemoryBackWhenIdle } from "./lifecycle/idle-memory.ts";
import { watchStorage } from "./lifecycle/storage-watch.ts";
import { processSeries } from "./logging/metrics.ts";
import { once } from "./once.ts";
import { opencodeMount, universalMount } from "./surface-mounts.ts";
import type { TrustOptions } from "./trust/trust-store.ts";

export interface ParleyOptions extends AgentSettings {
  dataDirectory: string;
  host: string;
  port: number;
  /** Null: no authentication, for loopback only. */
  token: string | null;
  /** The origin that clients are told, and may use, where it is not the address that is bound. */
  advertise?: string;
  allowHosts: readonly string[];
  cors: readonly string[];
  sync: SyncMode;
  /** The database of the nodes that this server is one of; without it, the server is alone with its data directory. */
  database?: ClusterSettings;
  /** Opens the log, in place of the one in the data directory. The server closes it. */
  openLog?: (options: OpenLogOptions) => Promise<Log>;
  keepNative: boolean;
  /** The agent of a session that names none; chosen by Parley when absent. */
  defaultAgent?: string;
  unattended: Unattended;
  askDeadlineMs: number;
  idleCloseMs: number;
  idleAgents: number;
  retainEvents: number;
  /** A JSON file with prices of models, which count before Parley's own. */
  prices?: string;
  /** Which directories the user trusts; none unless told. */
  trust?: Omit<TrustOptions, "warn">;
  /** Hears that this node was drained: it has no open turn, and takes no session. */
  onDrained?: () => void;
  /** Whether prompts that waited through a restart run at once; otherwise they do with their session's next prompt. */
  resumeQueues?: boolean;
  /** The directory of a session that names none. */
  directory: string;
  /** The agent whose program is needed at once, in that directory: it starts first, and the server meanwhile. */
  ahead?: Ahead | undefined;
  /** The directories that sessions, files and terminals are limited to; none: wherever the user may. */
  roots?: readonly string[];
  logger: Logger;
  version: string;
}

export interface Server {
  url: string;
  /** Addresses by which other machines reach it, where these are others. */
  others: readonly string[];
  gateway: Gateway;
  listener: HttpListener;
  cutStreams(): void;
  /** Ends every agent at once, for a process that exits without waiting for `close`. */
  abandon(): void;
  /** Lets every agent go and closes the log. The listener is closed by its owner. */
  close(): Promise<void>;
  /** Ends all of it: takes no new request, closes, cuts the streams and, after so long, the open requests. */
  stop(graceMs: number): Promise<void>;
}

/** Another server has the data directory. */
export class AlreadyRunning extends Error {
  readonly owner: LockOwner;

  constructor(directory: string, owner: LockOwner) {
    super(`a Parley (pid ${owner.pid}) runs on ${directory} already${owner.url ? `: ${owner.url}` : ""}`);
    this.name = "AlreadyRunning";
    this.owner = owner;
  }
}

/** A server whose gateway is loaded by the first request that needs it, or before the port opens where it has something to do. */
export interface LateServer extends Omit<Server, "gateway"> {
  gateway(): Promise<Gateway>;
}

/** As `startLate`, with the gateway at hand. */
export async function startServer(options: ParleyOptions): Promise<Server> {
  const late = await startLate(options);
  try {
    return { ...late, gateway: await late.gateway() };
  } catch (error) {
    await late.stop(0);
    throw error;
  }
}

/** Starts everything, in the order that the promise needs: no port is open before every turn of an earlier crash is closed. */
export async function startLate(options: ParleyOptions): Promise<LateServer> {
  const lock = await acquireLock(options.dataDirectory);
  if (!lock.ok) throw new AlreadyRunning(options.dataDirectory, lock.owner);
  try {
    return await startLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Starts everything but, where nothing waits for them, the parts that no client needs before its first request. */
async function startLocked(options: ParleyOptions, lock: LockHeld): Promise<LateServer> {
  const { dataDirectory, logger } = options;
  const processes = { runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory) };
  const over = new AbortController();
  const reaped = await reap(processes);
  if (reaped.ended.length > 0) logger.warn({ ended: reaped.ended }, "ended processes that an earlier crash had left");
  const report = (thrown: unknown): void =>
    isParleyError(thrown)
      ? logger.error({ ...thrown.details }, thrown.message)
      : logger.error({ err: thrown }, "the log met a fault");
  const metrics = createMetrics();
  const worktrees = worktreesFolder(dataDirectory);
  const roots = new Roots(options.roots, worktrees);
  let made: AgentParts | undefined;
  const agents = once(async () => {
    const { agentParts } = await import("./agent-parts.ts");
    made = agentParts(options, { ...processes, over: over.signal });
    return made;
  });
  const abandon = (): void => {
    over.abort();
    killNow(processes);
  };
  const endPrograms = (): Promise<void> => {
    over.abort();
    return killAll(processes);
  };
  let cluster: Cluster | undefined;
  let log: Log | undefined;
  try {
    await goAhead(agents, options, roots);
    cluster = await joinCluster(options, {
      metrics,
      roots,
      worktrees,
      report,
      freeze: (frozen) => made?.commands.freeze(frozen),
      drained: () => options.onDrained?.(),
    });
    const { sync, keepNative } = options;
    const opening = { directory: dataDirectory, sync, keepNative, guarded: [lock.file], report };
    log = cluster?.log ?? (await (options.openLog ?? openLog)(opening));
    const shared = { log, cluster, metrics, roots };
    const newest = await newestTime(log);
    const engine = lateEngine(async () => {
      const [{ startEngine }, parts] = await Promise.all([import("./engine.ts"), agents()]);
      return startEngine({ ...shared, agents: parts, newest }, options);
    });
    return { ...(await startOn({ ...shared, engine, endPrograms }, options, lock)), abandon };
  } catch (error) {
    // A program that was started ahead, or is about to be.
    const closed = made?.agents.close();
    abandon();
    if (closed) await within(closed, CLOSE_MS);
    await cluster?.leave();
    await log?.close();
    await cluster?.database.close();
    throw error;
  }
}

/** The program that takes longest to start goes first, where one is needed at once. */
async function goAhead(agents: () => Promise<AgentParts>, options: ParleyOptions, roots: Roots): Promise<void> {
  const { ahead, directory, logger } = options;
  if (!ahead) return;
  const { startAhead } = await import("./agent-parts.ts");
  await startAhead(await agents(), ahead, { directory, roots, logger });
}

type NodeParts = Pick<ClusterOptions, "metrics" | "roots" | "worktrees" | "report" | "freeze" | "drained">;

/** How long agents that were started ahead may take to end where the server cannot start. */
const CLOSE_MS = 5_000;

/** Makes this server one of several nodes, where it is given their database. */
async function joinCluster(options: ParleyOptions, parts: NodeParts): Promise<Cluster | undefined> {
  const { database: settings, dataDirectory, keepNative, version, logger, resumeQueues = true } = options;
  if (!settings) return undefined;
  const { openCluster } = await import("./cluster/cluster.ts");
  return openCluster({ settings, dataDirectory, keepNative, version, logger, resumeQueues, ...parts });
}

interface Parts {
  log: Log;
  cluster: Cluster | undefined;
  metrics: Metrics;
  roots: Roots;
  engine: LateEngine;
  /** Ends every program, and starts none from now on. */
  endPrograms(): Promise<void>;
}

/** Whether the engine has something to do before the port opens: turns to close, prompts to resume, settings that may be wrong. */
async function isNeededFirst(options: ParleyOptions, log: Log): Promise<boolean> {
  const { database, defaultAgent, agents, house, houseCredentials, opencodeUrl, prices, ahead } = options;
  const asked = [database, defaultAgent, house, opencodeUrl, prices, ahead].some((one) => one !== undefined);
  const special = asked || Object.keys(agents).length > 0 || houseCredentials === "found";
  return special || (await log.unsettled(log.owner)).length > 0;
}

async function startOn(parts: Parts, options: ParleyOptions, lock: LockHeld): Promise<Omit<LateServer, "abandon">> {
  const { log, cluster, metrics, roots, engine, endPrograms } = parts;
  const { logger } = options;
  processSeries(metrics);
  const first = (await isNeededFirst(options, log)) ? await engine.get() : undefined;
  const directory = roots.has(options.directory) ? options.directory : (roots.directories[0] ?? options.directory);
  let url = "";
  let others: string[] = [];
  const acp = acpMount({ ...options, url: () => url, fetch: (to, init) => listener.fetch(to, init) });
  const served = { engine: engine.get, options: { ...options, directory } };
  const opencode = opencodeMount({ ...served, nodes: cluster?.opencode });
  const auth = new Authenticator(options.token);
  const codes = new ConsoleCodes(cluster?.codePrefix);
  const consoleLinks = {
    make: () => (options.token === null ? undefined : { code: codes.make(), lastsMs: CODE_MS }),
    others: () => (options.advertise === undefined ? others : []),
  };
  const ofNode =
    cluster &&
    first &&
    cluster.mounts(
      first.gateway,
      (words) => opencode.hear(words),
      (code) => codes.take(code),
    );
  const listener: HttpListener = createListener({
    ...options,
    auth,
    log: logger,
    metrics,
    mounts: [
      universalMount({ ...served, nodes: first && cluster?.nodes(first.gateway), consoleLinks }),
      acp,
      consoleMount({ auth, codes, elsewhere: cluster?.takeCode, advertise: options.advertise }),
      ...(ofNode ?? []),
      opencode,
    ],
    ready: cluster?.ready ?? (() => log.check()),
    measured: async () => void (await engine.get()),
    passing: cluster?.passing,
    about: { name: "parley", version: options.version },
    console: true,
  });
  const address = await listener.listen();
  url = urlOf(options.host, address.port);
  others = reachableUrls(options.host, address.port, networkInterfaces()).filter((one) => one !== url);
  await cluster?.publish(url);
  lock.publish({ url });
  if (options.resumeQueues ?? true)
    first?.gateway.tenure
      .resumeQueues()
      .catch((error) => logger.error({ err: error }, "waiting prompts could not be resumed"));
  const stopTidying = giveMemoryBackWhenIdle();
  // A node whose lease is over freezes its agents instead: the database may be back before anybody has taken their sessions.
  const stopWatching = cluster
    ? () => {}
    : watchStorage(log, logger, (error) => engine.loaded()?.gateway.storageLost(error));
  function cutStreams(): void {
    engine.loaded()?.clients.destroyAll();
    void acp.close();
  }
  async function close(): Promise<void> {
    stopTidying();
    stopWatching();
    await (await engine.end())?.close();
    // No session runs any more: the rest are programs that were asked what they have, and have not answered yet.
    await endPrograms();
    await cluster?.leave();
    await log.close();
    await cluster?.database.close();
    lock.release();
  }
  async function stop(graceMs: number): Promise<void> {
    listener.stopAccepting();
    try {
      await close();
    } finally {
      cutStreams();
      await listener.close(graceMs);
    }
  }
  return { url, others, gateway: async () => (await engine.get()).gateway, listener, cutStreams, close, stop };
}

/** So many of the newest events are looked at when a server starts: damage to them is told then. The doctor reads all. */
const LOOKED_AT = 500;

/** When the last event was made: clients sort by ids, which must not step back where the clock did. */
async function newestTime(log: Log): Promise<number> {
  const newest = await log.readAllBack({ before: Number.MAX_SAFE_INTEGER, limit: LOOKED_AT });
  const last = newest.at(-1);
  return last ? (JSON.parse(last.json) as ParleyEvent).time : 0;
}

/** An address that a client on this machine can use. */
function urlOf(host: string, port: number): string {
  const reached = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return urlFor(reached, port);
}
