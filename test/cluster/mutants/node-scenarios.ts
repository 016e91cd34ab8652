import { eventually } from "../../support/eventually.ts";
import { Random } from "../../support/random.ts";
import { Book } from "../chaos/book.ts";
import { checkRecords } from "../chaos/check/run.ts";
import { Clients } from "../chaos/clients.ts";
import { Cluster } from "../chaos/cluster.ts";
import { ready } from "../chaos/faults.ts";
import { pauser } from "../chaos/moments.ts";
import type { ChaosNode } from "../chaos/node.ts";
import type { Scenario } from "./log-scenarios.ts";

const LEASE_MS = 2_000;
/** Longer than any scenario takes; it is cancelled at its end. */
const LONG_TURN = "[[slow 4000]]";

interface Played {
  cluster: Cluster;
  /** Begins a turn in a session of a node, and resolves when it is open. */
  begin(node: ChaosNode): Promise<string>;
}

async function onNodes(root: string, play: (played: Played) => Promise<void>): ReturnType<Scenario> {
  const book = new Book();
  const cluster = await Cluster.start({ book, nodes: 2, leaseMs: LEASE_MS, program: root });
  const signal = new AbortController().signal;
  const clientsOf = (nodes: readonly ChaosNode[]): Clients =>
    new Clients({ nodes, book, random: new Random(1), signal, patienceMs: 60_000, mostSessions: 10 });
  try {
    await play({
      cluster,
      async begin(node) {
        const client = clientsOf([node]);
        const session = await client.create("client", { read: false });
        if (session === undefined || !(await client.prompt(session, LONG_TURN, { read: false })))
          throw new Error(`expected a turn on ${node.name}`);
        return session;
      },
    });
    const everybody = clientsOf(cluster.nodes);
    for (const session of book.sessions) await everybody.cancel(session);
    await cluster.settled();
    await cluster.stop();
  } catch (error) {
    book.surprises.push(String(error));
  }
  try {
    const tables = await cluster.tables();
    return checkRecords(book.records(tables), { leaseMs: LEASE_MS, openMs: 60_000, agentMs: 60_000 });
  } finally {
    await cluster.drop();
  }
}

/** A node starts while another one's turn is open. */
export const startBesideTurn: Scenario = (root) =>
  onNodes(root, async ({ cluster, begin }) => {
    const [first, second] = cluster.nodes;
    if (!first || !second) throw new Error("expected two nodes");
    await second.end("SIGTERM");
    await begin(first);
    await second.start();
  });

/** The database is away for all, and comes back for one a little sooner than for the other. */
export const backSooner: Scenario = (root) =>
  onNodes(root, async ({ cluster, begin }) => {
    const { postgres, nodes } = cluster;
    const [first, second] = nodes;
    if (!first || !second) throw new Error("expected two nodes");
    await Promise.all(nodes.map(begin));
    for (const node of nodes) cluster.down(node, "no database");
    await postgres.halt();
    await pauser()(1.5 * LEASE_MS);
    second.options.toDatabase.refuse();
    await postgres.run();
    await eventually("the first node has renewed its lease", async () => {
      const sql = "SELECT 1 FROM nodes WHERE name = 'node-1' AND NOT dead AND lease_until > clock_timestamp()";
      return (await cluster.sql(sql)).length > 0;
    });
    await pauser()(LEASE_MS / 8);
    second.options.toDatabase.heal();
    await Promise.all(nodes.map(ready));
    for (const node of nodes) cluster.up(node);
  });
