import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { neverBack } from "../core/clock.ts";
import { isParleyError, ParleyError } from "../core/errors.ts";
import type { ParleyEvent } from "../core/events/event.ts";
import { idSource } from "../core/ids.ts";
import type { LogFields, Logger } from "../core/logger.ts";
import { createMetrics, type Metrics } from "../core/metrics.ts";
import { Gateway } from "../gateway/gateway.ts";
import type { Unattended } from "../gateway/options.ts";
import type { CommandHost, Freezer } from "../host/contract.ts";
import { acquireLock, type LockHeld, type LockOwner } from "../host/data-lock.ts";
import { Roots } from "../host/files/roots.ts";
import { createProcessHost } from "../host/process-host.ts";
import { killNow, reap } from "../host/reaper.ts";
import type { Terminals } from "../host/terminals/contract.ts";
import { OpenTerminals } from "../host/terminals/terminals.ts";
import type { Log, SyncMode } from "../log/contract.ts";
import { type OpenLogOptions, openLog } from "../log/data-log.ts";
import { worktreesFolder } from "../surfaces/opencode/worktrees/folder.ts";
import { SseClients } from "../surfaces/stream/sse-clients.ts";
import { acpMount } from "./acp/mount.ts";
import { type AgentSettings, buildAgents, chooseDefaultAgent } from "./agents.ts";
import type { Cluster, ClusterOptions, ClusterSettings } from "./cluster/cluster.ts";
import { CODE_MS, ConsoleCodes } from "./console/codes.ts";
import { consoleMount } from "./console/mount.ts";
import { Authenticator } from "./guards/auth.ts";
import { reachableUrls, urlFor } from "./guards/reachable.ts";
import { createListener, type HttpListener } from "./http/listener.ts";
import { instanceOf } from "./instance.ts";
import { giveMemoryBackWhenIdle } from "./lifecycle/idle-memory.ts";
import { watchStorage } from "./lifecycle/storage-watch.ts";
import { processSeries } from "./logging/metrics.ts";
import { mcpStore } from "./mcp-store.ts";
import type { NamedAgents } from "./named-agents.ts";
import { loadPrices } from "./prices.ts";
import { opencodeMount, universalMount } from "./surface-mounts.ts";
import { type TrustOptions, TrustStore } from "./trust/trust-store.ts";

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
  /** The agent (the default one unless named) whose program is needed at once, in that directory: it starts while the server does. */
  ahead?: { agent: string | undefined } | undefined;
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

/** Starts everything, in the order that the promise needs: no port is open before every turn of an earlier crash is closed. */
export async function startServer(options: ParleyOptions): Promise<Server> {
  const lock = await acquireLock(options.dataDirectory);
  if (!lock.ok) throw new AlreadyRunning(options.dataDirectory, lock.owner);
  try {
    return await startLocked(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(options: ParleyOptions, lock: LockHeld): Promise<Server> {
  const { dataDirectory, logger } = options;
  const processes = { runDirectory: join(dataDirectory, "run"), instance: instanceOf(dataDirectory) };
  const reaped = await reap(processes);
  if (reaped.ended.length > 0) logger.warn({ ended: reaped.ended }, "ended processes that an earlier crash had left");
  const report = (thrown: unknown): void =>
    isParleyError(thrown)
      ? logger.error({ ...thrown.details }, thrown.message)
      : logger.error({ err: thrown }, "the log met a fault");
  const metrics = createMetrics();
  const worktrees = worktreesFolder(dataDirectory);
  const roots = new Roots(options.roots, worktrees);
  let freezer: Freezer | undefined;
  const cluster = await joinCluster(options, {
    metrics,
    roots,
    worktrees,
    report,
    freeze: (frozen) => freezer?.freeze(frozen),
    drained: () => options.onDrained?.(),
  });
  const { sync, keepNative } = options;
  const log =
    cluster?.log ??
    (await (options.openLog ?? openLog)({ directory: dataDirectory, sync, keepNative, guarded: [lock.file], report }));
  const abandon = (): void => killNow(processes);
  try {
    const keeping = { ...processes, log: (message: string, details: LogFields) => logger.warn(details, message) };
    const commands = createProcessHost(keeping);
    freezer = commands;
    const agents = buildAgents(options, commands, dataDirectory);
    const terminals = new OpenTerminals({ ...keeping, id: idSource(Date.now) });
    const parts = { log, cluster, metrics, roots, agents, commands, terminals, abandon };
    const started = await startOn(parts, options, lock);
    return { ...started, abandon };
  } catch (error) {
    // A program that was started ahead.
    abandon();
    await cluster?.leave();
    await log.close();
    await cluster?.database.close();
    throw error;
  }
}

type NodeParts = Pick<ClusterOptions, "metrics" | "roots" | "worktrees" | "report" | "freeze" | "drained">;

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
  agents: NamedAgents;
  commands: CommandHost;
  terminals: Terminals;
  abandon(): void;
}

async function startOn(
  { log, cluster, metrics, roots, agents, commands, terminals, abandon }: Parts,
  options: ParleyOptions,
  lock: LockHeld,
): Promise<Omit<Server, "abandon">> {
  const { logger } = options;
  const defaultAgent = await chooseDefaultAgent(agents, options.defaultAgent);
  if (!agents.get(defaultAgent))
    throw new ParleyError("agent_not_found", agents.objection(defaultAgent) ?? `no agent ${defaultAgent}`);
  processSeries(metrics);
  const priceTable = options.prices === undefined ? undefined : await loadPrices(options.prices);
  const gateway = new Gateway({
    ...options,
    priceTable,
    log,
    agents,
    processes: commands,
    roots,
    trust: new TrustStore({ configured: [], ...options.trust, warn: (message) => logger.warn({}, message) }),
    mcp: cluster?.mcp ?? mcpStore(options.dataDirectory),
    ...(cluster && { door: cluster.door, watches: cluster.watches, taken: cluster.taken }),
    defaultAgent,
    id: idSource(cluster?.idTime ?? Date.now, await newestTime(log)),
    now: neverBack(Date.now, () => performance.now()),
    metrics,
  });
  if (options.ahead) gateway.ahead(options.ahead.agent, options.directory);
  const directory = roots.has(options.directory) ? options.directory : (roots.directories[0] ?? options.directory);
  cluster?.start(gateway);
  const closed = await gateway.tenure.recover();
  if (closed > 0) logger.warn({ turns: closed }, "closed turns that an earlier crash had left open");
  // An agent that only its name makes is listed because a session has it.
  for (const { agent } of await log.list({ parent: null, limit: LISTED_SESSIONS })) agents.get(agent);
  const clients = new SseClients(metrics);
  let url = "";
  let others: string[] = [];
  const acp = acpMount({ ...options, url: () => url, fetch: (to, init) => listener.fetch(to, init) });
  const served = { gateway, clients, commands, terminals, options: { ...options, directory } };
  const opencode = opencodeMount({ ...served, nodes: cluster?.opencode });
  const auth = new Authenticator(options.token);
  const codes = new ConsoleCodes(cluster?.codePrefix);
  const consoleLinks = {
    make: () => (options.token === null ? undefined : { code: codes.make(), lastsMs: CODE_MS }),
    others: () => (options.advertise === undefined ? others : []),
  };
  const listener: HttpListener = createListener({
    ...options,
    auth,
    log: logger,
    metrics,
    mounts: [
      universalMount({ ...served, nodes: cluster?.nodes(gateway), consoleLinks }),
      acp,
      consoleMount({ auth, codes, elsewhere: cluster?.takeCode, advertise: options.advertise }),
      ...(cluster?.mounts(
        gateway,
        (words) => opencode.hear(words),
        (code) => codes.take(code),
      ) ?? []),
      opencode,
    ],
    ready: cluster?.ready ?? (() => log.check()),
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
    gateway.tenure
      .resumeQueues()
      .catch((error) => logger.error({ err: error }, "waiting prompts could not be resumed"));
  const stopTidying = giveMemoryBackWhenIdle();
  // A node whose lease is over freezes its agents instead: the database may be back before anybody has taken their sessions.
  const stopWatching = cluster ? () => {} : watchStorage(log, logger, (error) => gateway.storageLost(error));
  function cutStreams(): void {
    clients.destroyAll();
    void acp.close();
  }
  async function close(): Promise<void> {
    stopTidying();
    stopWatching();
    await Promise.all([gateway.shutdown(), terminals.close()]);
    await agents.close();
    // No session runs any more: the rest are programs that were asked what they have, and have not answered yet.
    abandon();
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
  return { url, others, gateway, listener, cutStreams, close, stop };
}

/** So many of the newest events are looked at when a server starts: damage to them is told then. The doctor reads all. */
const LOOKED_AT = 500;

/** So many of the newest sessions have their agents listed. */
const LISTED_SESSIONS = 50;

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
