import { eventually } from "../../support/eventually.ts";
import { Random } from "../../support/random.ts";
import { Book } from "./book.ts";
import { turnSpans } from "./check/open-turns.ts";
import { checkRecords } from "./check/run.ts";
import { Clients } from "./clients.ts";
import { Cluster } from "./cluster.ts";
import type { ChaosNode } from "./node.ts";
import type { Limits, Violation } from "./records.ts";

export interface CrowdOptions {
  seed: number;
  leaseMs: number;
  sessions: number;
  /** Turns that are open on the node that is killed. */
  turns: number;
  limits: Omit<Limits, "leaseMs">;
}

export interface CrowdReport {
  violations: Violation[];
  /** From the kill until the last turn was closed by others. */
  closedMs: number;
  /** From a start on the directory of a killed node until its port was open. */
  restartMs: number;
  /** Turns of the killed node that were open then. */
  leftOpen: number;
}

/** Requests at once. */
const AT_ONCE = 16;
const LONG_TURN = "[[slow 100000]]";

/** Many sessions, of which some have open turns on one node that is killed: twice, for others and for itself to close them. */
export async function runCrowd(options: CrowdOptions): Promise<CrowdReport> {
  const { seed, leaseMs, limits } = options;
  const book = new Book();
  const cluster = await Cluster.start({ book, nodes: 3, leaseMs });
  try {
    const [victim] = cluster.nodes;
    if (!victim) throw new Error("expected a node");
    const clients = clientsOf(cluster, cluster.nodes, seed);
    const names = Array.from({ length: options.sessions }, (_, index) => `crowd ${index}`);
    await inLanes(names, (name) => clients.create(name, { read: false }));

    const closing = await begin(cluster, victim, options);
    const killedAt = book.now();
    await cluster.kill(victim);
    await eventually("all turns are closed", async () => (await cluster.openTurns()).size === 0);
    await cluster.restart(victim);

    await begin(cluster, victim, options);
    await cluster.kill(victim);
    const from = performance.now();
    await cluster.restart(victim);
    const restartMs = performance.now() - from;
    const leftOpen = (await cluster.openTurns()).get(victim.name)?.length ?? 0;

    await cluster.settled();
    await cluster.stop();
    const tables = await cluster.tables();
    const spans = turnSpans(tables.events, tables.appends).filter(({ session }) => closing.includes(session));
    const closedMs = Math.max(...spans.map(({ to }) => to - killedAt));
    return { violations: checkRecords(book.records(tables), { ...limits, leaseMs }), closedMs, restartMs, leftOpen };
  } finally {
    await cluster.drop();
  }
}

function clientsOf({ book }: Cluster, nodes: readonly ChaosNode[], seed: number): Clients {
  const { signal } = new AbortController();
  return new Clients({ nodes, book, random: new Random(seed), signal, patienceMs: 60_000, mostSessions: 0 });
}

/** Opens turns on a node, and resolves with their sessions when all are open. */
async function begin(cluster: Cluster, node: ChaosNode, { seed, turns }: CrowdOptions): Promise<string[]> {
  const clients = clientsOf(cluster, [node], seed);
  const sessions: string[] = [];
  await inLanes(Array.from({ length: turns }), async () => {
    const session = await clients.create("busy", { read: false });
    if (session === undefined || !(await clients.prompt(session, LONG_TURN, { read: false })))
      throw new Error(`expected a turn on ${node.name}`);
    sessions.push(session);
  });
  await eventually("all turns are open", async () => (await cluster.openTurns()).get(node.name)?.length === turns);
  return sessions;
}

async function inLanes<T>(things: readonly T[], work: (thing: T) => Promise<unknown>): Promise<void> {
  const left = [...things];
  const lane = async (): Promise<void> => {
    while (left.length > 0) await work(left.pop() as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
