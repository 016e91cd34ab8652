import { stat } from "node:fs/promises";
import { ClusterDoor } from "../../cluster/door.ts";
import { Membership } from "../../cluster/membership.ts";
import type { NodeInfo } from "../../cluster/node.ts";
import { nodeSecret } from "../../cluster/secret.ts";
import { Takeover } from "../../cluster/takeover.ts";
import { ClusterWatches } from "../../cluster/watches.ts";
import { ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { Metrics } from "../../core/metrics.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Roots } from "../../host/files/roots.ts";
import { createPostgresLog, type PostgresLog } from "../../log/postgres/log.ts";
import { type Database, openDatabase } from "../../postgres/database.ts";
import type { Told } from "../../surfaces/opencode/nodes/contract.ts";
import type { NodesView } from "../../surfaces/universal/node-routes.ts";
import type { CodeVerdict } from "../console/codes.ts";
import type { Mount } from "../http/mounts.ts";
import { drainNode } from "./drain.ts";
import { directoryIdentity } from "./identity.ts";
import { mcpTable } from "./mcp-table.ts";
import { clusterSeries } from "./metrics.ts";
import { type NodeQuestions, nodeMount } from "./node-mount.ts";
import { nodesView } from "./nodes-view.ts";
import { opencodeNodes, seenHere } from "./opencode-nodes.ts";
import { createPassing, namedPlace } from "./passing.ts";
import { createPeers } from "./peers.ts";
import { sharedFolders, shareFolder } from "./worktree-folders.ts";

/** The database that several nodes share, and this node among them. */
export interface ClusterSettings {
  url: string;
  /** Where notifications are heard, if not by `url`: pgbouncer in transaction mode carries none. */
  listenUrl?: string;
  /** The label of nodes that have the same directories. */
  place: string;
  /** The name that people know this node by. */
  name: string;
  /** How long its lease lasts; 10 s unless told. */
  leaseMs?: number;
  /** Where other nodes reach it; its own URL unless told. */
  address?: string;
}

export interface ClusterOptions {
  settings: ClusterSettings;
  dataDirectory: string;
  keepNative: boolean;
  version: string;
  logger: Logger;
  metrics: Metrics;
  roots: Roots;
  /** The folder of this node's worktrees. */
  worktrees: string;
  /** Whether prompts that wait go on here: not by a node that is about to leave. */
  resumeQueues: boolean;
  report(thrown: unknown): void;
  /** Stops all programs of this node where they are, or has them go on. */
  freeze(frozen: boolean): void;
  /** All turns are over after a drain: the server may stop. */
  drained(): void;
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** The kind of hint by which nodes tell that clients have come or gone. */
const WATCHES = "w";

/** How long a node that drains waits for its turns. */
const DRAIN_LIMIT_MS = 600_000;

const FENCED =
  "another node has taken the sessions of this one, whose lease was over: nothing more is stored from here";

const LOST_END =
  "the database has lost its newest events, as after a failover to a replica that lagged: sessions are read again, and their open turns are closed";

/** Registers this process as a node, and opens the log that all nodes share. */
export async function openCluster(options: ClusterOptions) {
  const { settings, logger } = options;
  const { place, name } = settings;
  const database = await openDatabase({
    url: settings.url,
    listenUrl: settings.listenUrl,
  });
  try {
    return await joinCluster(options, database, { place, name, logger });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function joinCluster(
  options: ClusterOptions,
  database: Database,
  { place, name, logger }: { place: string; name: string; logger: Logger },
) {
  const { dataDirectory, version, roots, metrics, keepNative, report } = options;
  const directory = directoryIdentity(dataDirectory);
  const membership = await Membership.join({
    sql: database,
    directory,
    name,
    place,
    version,
    logger,
    leaseMs: options.settings.leaseMs,
  });
  let lostEnd = (): void => {};
  const log: PostgresLog = await createPostgresLog({
    database,
    directory,
    node: () => membership.node,
    place,
    keepNative,
    report,
    fault: () => membership.fault(),
    lostEnd: () => lostEnd(),
  });
  const secret = await nodeSecret(database);
  const peers = createPeers(secret);
  const watches = new ClusterWatches({
    sql: database,
    node: () => membership.node,
    logger,
    hint: () => log.hints.send(WATCHES, ""),
  });
  roots.addWorktrees(await shareFolder(database, place, options.worktrees));
  const series = clusterSeries(metrics, membership, log);
  let gateway: Gateway | undefined;
  const has = async (path: string): Promise<boolean> =>
    roots.has(path) && ((await stat(path).catch(() => undefined))?.isDirectory() ?? false);
  const inner = new ClusterDoor({
    sql: database,
    membership,
    holds: (session) => gateway?.tenure.holds(session) ?? false,
    has,
    askHas: peers.has,
  });
  const door = {
    owner: (session: string) => inner.owner(session),
    home: (path: string | undefined, named = namedPlace()) => inner.home(path, named),
    keeper: (path: string | undefined, named = namedPlace()) => inner.keeper(path, named),
    place,
  };
  /** Ids sort behind the newest event of each session that was taken, whatever the clocks of its earlier nodes said. */
  let floor = 0;

  const drain = (served: Gateway): Promise<void> =>
    drainNode({ membership, tenure: served.tenure, logger, limitMs: DRAIN_LIMIT_MS, done: () => options.drained() });

  async function goOn(served: Gateway, session: string): Promise<void> {
    if (options.resumeQueues) await served.tenure.goOn(session);
  }

  function start(served: Gateway): void {
    gateway = served;
    const takeover = new Takeover({
      sql: database,
      membership,
      logger,
      closeTurn: (session) => served.tenure.closeTurn(session),
      goOn: (session) => goOn(served, session),
      askGoOn: peers.goOn,
      holds: (session) => served.tenure.holds(session),
      counted: () => series.takenOver.inc(),
    });
    lostEnd = () => {
      logger.error({ node: membership.name }, LOST_END);
      served.tenure.fence(new ParleyError("fenced", LOST_END));
      void takeover.look();
    };
    let fenced = 0;
    let seen = numbersOf(membership.all());
    let looked = false;
    membership.start({
      over: () => options.freeze(true),
      back() {
        options.freeze(false);
        void takeover.look();
      },
      buried() {
        series.fenced.inc();
        served.tenure.fence(new ParleyError("fenced", FENCED));
        watches.renew();
      },
      died: () => void takeover.look(),
      looked() {
        const now = numbersOf(membership.all());
        const gone = [...seen].some((node) => !now.has(node));
        // A node that came may be a keeper one day, with worktrees of its own.
        if ([...now].some((node) => !seen.has(node)))
          void sharedFolders(database, place).then((folders) => roots.addWorktrees(folders), report);
        seen = now;
        // A hold that the database does not know may be one that it lost: nobody looks after its session then.
        const lost = log.stats().fenced > fenced;
        fenced = log.stats().fenced;
        // The first look also finds what nodes left before this one came.
        if (gone || lost || !looked || takeover.unfinished) void takeover.look();
        looked = true;
        watches.look().catch(() => {});
      },
    });
    log.hints.on(WATCHES, () => void watches.look().catch(() => {}));
  }

  return {
    log,
    database,
    door,
    watches,
    membership,
    peers,
    has,
    mcp: mcpTable(database),
    passing: createPassing(secret),
    taken: (time: number) => {
      floor = Math.max(floor, time);
    },
    /** The machine's clock, never behind a session that was taken. */
    idTime: () => Math.max(Date.now(), floor),
    start,
    opencode: opencodeNodes({ sql: database, membership, peers, logger, has }),
    /** The beginning of the console's codes that this node makes. */
    codePrefix: () => `${membership.node}-`,
    /** Takes a code that another node has made. */
    async takeCode(code: string): Promise<CodeVerdict> {
      const node = Number(/^(\d{1,15})-/.exec(code)?.[1]);
      if (!Number.isInteger(node) || node === membership.node) return "unknown";
      await membership.look();
      const found = membership.all().find((info) => info.node === node);
      return found && found.address !== "" ? peers.code(found.address, code) : "unknown";
    },
    /** `told`: hears what OpenCode's surfaces of other nodes say; `code`: takes a code for a browser at another node. */
    mounts: (served: Gateway, told: (words: readonly Told[]) => void, code: NodeQuestions["code"]): Mount[] => [
      nodeMount({
        has,
        look: (path) => seenHere(path, has),
        told,
        goOn: (session) =>
          void goOn(served, session).catch((error: unknown) =>
            logger.warn({ session, err: error }, "a session could not go on here"),
          ),
        drain: () => drain(served),
        code,
      }),
    ],
    nodes: (served: Gateway): NodesView => nodesView({ sql: database, membership, peers, drain: () => drain(served) }),
    publish: (url: string) => membership.publish(options.settings.address ?? url),
    /** Refuses while this node could store nothing. */
    async ready(): Promise<void> {
      const fault = membership.fault();
      if (fault) throw fault;
      await log.check();
    },
    async leave(): Promise<void> {
      await membership
        .leave()
        .catch((error: unknown) =>
          logger.warn({ err: error }, "this node could not sign off; others wait for its lease"),
        );
    },
  };
}

function numbersOf(nodes: readonly NodeInfo[]): Set<number> {
  return new Set(nodes.map(({ node }) => node));
}
