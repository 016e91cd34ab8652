import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { reap } from "../../../src/host/reaper.ts";
import type { openDatabase } from "../../../src/postgres/database.ts";
import { instanceOf } from "../../../src/server/instance.ts";
import { eventually } from "../../support/eventually.ts";
import { needsPgbouncer, type Pgbouncer, startPgbouncer } from "../../support/pgbouncer.ts";
import { PostgresServer } from "../../support/postgres.ts";
import { dataDirectoryOf } from "../../support/process.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import type { Book } from "./book.ts";
import { ChaosNode, type NodeOptions, portsFor, ROOT } from "./node.ts";
import type { Tables } from "./records.ts";
import { audit, busySessions, openTurns, readTables, unsettled } from "./tables.ts";

export interface ClusterOptions {
  book: Book;
  nodes: number;
  leaseMs: number;
  /** Another checkout whose program the nodes run. */
  program?: string;
  /** The last node reaches the database through a pgbouncer in transaction mode, where there is one. */
  bouncer?: boolean;
  unattended?: NodeOptions["unattended"];
}

/** Connections of the pgbouncer to the database: fewer than a node may have. */
const POOL = 5;

/** The schema comes from the checkout whose program is run. */
async function sourceOf(program: string): Promise<{ openDatabase: typeof openDatabase }> {
  return import(pathToFileURL(join(program, "src", "postgres", "database.ts")).href);
}

/** Nodes with a database of their own, a proxy before each node and one before the database for each. */
export class Cluster {
  readonly book: Book;
  readonly nodes: ChaosNode[] = [];
  readonly leaseMs: number;
  readonly postgres: PostgresServer;
  private readonly directory: string;
  private readonly proxies: TcpProxy[] = [];
  private database = "";
  private pgbouncer: Pgbouncer | undefined;
  private readonly endings = new Map<string, () => void>();

  private constructor(options: ClusterOptions, postgres: PostgresServer, directory: string) {
    this.book = options.book;
    this.leaseMs = options.leaseMs;
    this.postgres = postgres;
    this.directory = directory;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const postgres = await PostgresServer.start();
    const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-chaos-")));
    const cluster = new Cluster(options, postgres, directory);
    try {
      await cluster.prepare(options);
      await Promise.all(cluster.nodes.map((node) => node.start()));
      return cluster;
    } catch (thrown) {
      await cluster.drop();
      throw thrown;
    }
  }

  private async prepare(options: ClusterOptions): Promise<void> {
    const { nodes, leaseMs, program = ROOT, bouncer = false, unattended } = options;
    const { postgres, directory } = this;
    this.database = await postgres.createDatabase();
    const { openDatabase } = await sourceOf(program);
    await (await openDatabase({ url: postgres.url(this.database) })).close();
    await audit(postgres, this.database);
    const work = join(directory, "work");
    await mkdir(work);
    await chmod(directory, 0o755);
    if (bouncer && !needsPgbouncer.skip) this.pgbouncer = await startPgbouncer(postgres, POOL);
    for (const [index, port] of (await portsFor(nodes)).entries()) {
      const name = `node-${index + 1}`;
      const home = join(directory, name);
      await mkdir(home);
      const pooled = index === nodes - 1 ? this.pgbouncer?.port : undefined;
      const [toDatabase, toNode] = [await TcpProxy.start(pooled ?? postgres.port), await TcpProxy.start(port)];
      this.proxies.push(toDatabase, toNode);
      const way = (to: number): string => `${postgres.url(this.database, { port: to })}?application_name=${name}`;
      const urls = {
        databaseUrl: way(toDatabase.port),
        listenUrl: pooled === undefined ? undefined : way(postgres.port),
      };
      const node = new ChaosNode({ name, home, work, ...urls, unattended, leaseMs, toDatabase, toNode, port });
      node.program = program;
      this.nodes.push(node);
    }
  }

  /** The last words of the pgbouncer. */
  get bouncerSaid(): string {
    return this.pgbouncer?.said() ?? "";
  }

  sql<Row>(text: string): Promise<Row[]> {
    return this.postgres.sql<Row>(this.database, text);
  }

  tables(): Promise<Tables> {
    return readTables(this.postgres, this.database);
  }

  openTurns(): Promise<Map<string, string[]>> {
    return openTurns(this.postgres, this.database);
  }

  /** Notes that a node can do nothing for its sessions from now on. */
  down(node: ChaosNode, why: string): void {
    this.up(node);
    this.endings.set(node.name, this.book.down(node.name, why));
  }

  /** Notes that it can again. */
  up(node: ChaosNode): void {
    this.endings.get(node.name)?.();
    this.endings.delete(node.name);
  }

  async kill(node: ChaosNode): Promise<void> {
    this.down(node, "killed");
    await node.end("SIGKILL");
  }

  async restart(node: ChaosNode): Promise<void> {
    if (!node.running) await node.start();
    this.up(node);
  }

  /** Heals all that was broken, and starts what does not run. */
  async heal(): Promise<void> {
    for (const proxy of this.proxies) proxy.heal();
    for (const node of this.nodes) node.signal("SIGCONT");
    await Promise.all(this.nodes.map((node) => this.restart(node)));
  }

  /** Resolves when no session has anything to do, and all that is stored has its place. */
  async settled(): Promise<void> {
    try {
      await eventually("all sessions are settled", async () => (await unsettled(this.postgres, this.database)) === 0);
    } catch (error) {
      throw new Error(`${String(error)}\n${(await busySessions(this.postgres, this.database)).join("\n")}`);
    }
    await eventually("all appends have a position", async () => {
      const [row] = await this.sql<{ count: number }>("SELECT count(*) AS count FROM unordered");
      return row?.count === 0;
    });
  }

  async position(): Promise<number> {
    const [row] = await this.sql<{ position: number }>("SELECT coalesce(max(position), 0) AS position FROM commits");
    return row?.position ?? 0;
  }

  /** Stops all nodes in order, and notes what is left of them. */
  async stop(): Promise<void> {
    for (const node of this.nodes) {
      const ended = node.running ? await node.end("SIGTERM") : "it did not run";
      if (ended !== "exit 0") this.book.left.push(`${node.name} did not stop in order: ${ended}`);
      for (const { pid, session } of node.agents())
        this.book.left.push(`process ${pid} of ${session ?? "no session"} runs on after ${node.name} stopped`);
    }
  }

  /** Ends everything that this cluster began, whatever state it is in. */
  async drop(): Promise<void> {
    for (const node of this.nodes) {
      await node.end("SIGKILL");
      const data = dataDirectoryOf(node.home);
      await reap({ runDirectory: join(data, "run"), instance: instanceOf(data), graceMs: 0 }).catch(() => undefined);
    }
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await this.pgbouncer?.[Symbol.asyncDispose]();
    await this.postgres.stop();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
