import { request } from "node:http";
import { eventually } from "../../support/eventually.ts";
import type { Random } from "../../support/random.ts";
import { says } from "../../support/tcp-proxy.ts";
import type { Cluster } from "./cluster.ts";
import type { Pause } from "./moments.ts";
import { type ChaosNode, TOKEN } from "./node.ts";
import { holdSnapshot } from "./snapshot.ts";

/** What a fault works on. */
export interface Stage {
  cluster: Cluster;
  random: Random;
  pause: Pause;
  figure(name: string, value: number): void;
  /** Does something when the run is over. */
  atEnd(work: () => void): void;
}

export interface Fault {
  name: string;
  run(stage: Stage): Promise<void>;
}

/** The node with most open turns: the one whose loss hurts. */
export async function busiest({ cluster, random }: Stage): Promise<ChaosNode> {
  const turns = await cluster.openTurns();
  const running = cluster.nodes.filter((node) => node.running);
  const most = Math.max(0, ...running.map(({ name }) => turns.get(name)?.length ?? 0));
  return random.pick(running.filter(({ name }) => (turns.get(name)?.length ?? 0) === most));
}

/** Resolves when the turns that a node left are closed. */
async function turnsClosed(stage: Stage, turns: readonly string[], node: ChaosNode): Promise<void> {
  const { cluster } = stage;
  await eventually(`the turns of ${node.name} are closed`, async () => {
    const open = (await cluster.openTurns()).get(node.name) ?? [];
    return !open.some((turn) => turns.includes(turn));
  });
}

/** Kills the owner of most turns; others close them, then it starts again. */
const killOwner: Fault = {
  name: "kill -9 of an owner",
  async run(stage) {
    const { cluster } = stage;
    const node = await busiest(stage);
    const open = (await cluster.openTurns()).get(node.name) ?? [];
    await cluster.kill(node);
    const from = performance.now();
    await turnsClosed(stage, open, node);
    if (open.length > 0) stage.figure(`ms until ${node.name}'s turns were closed by others`, performance.now() - from);
    await cluster.restart(node);
  },
};

/** Kills it, and starts it again before its lease is over: it closes its turns itself, before its port opens. */
const killAndRestart: Fault = {
  name: "kill -9 of an owner, and its restart at once",
  async run(stage) {
    const { cluster } = stage;
    const node = await busiest(stage);
    const open = (await cluster.openTurns()).get(node.name) ?? [];
    await cluster.kill(node);
    await cluster.restart(node);
    const left = ((await cluster.openTurns()).get(node.name) ?? []).filter((turn) => open.includes(turn));
    stage.figure("turns that a restarted node left open", left.length);
  },
};

const killAll: Fault = {
  name: "kill -9 of all",
  async run({ cluster }) {
    await Promise.all(cluster.nodes.map((node) => cluster.kill(node)));
    await Promise.all(cluster.nodes.map((node) => cluster.restart(node)));
  },
};

/** Stops an owner for longer than its lease. When it wakes its sessions are others', and its agents must go. */
const stopOwner: Fault = {
  name: "SIGSTOP of an owner for 2.5 leases",
  async run(stage) {
    const { cluster, pause, random } = stage;
    const { book } = cluster;
    const node = await busiest(stage);
    const agents = node.agents().filter(({ pid }) => pid !== node.pid);
    cluster.down(node, "stopped");
    node.signal("SIGSTOP");
    await pause(2.5 * cluster.leaseMs);
    // Others have declared it dead, however busy the machine is.
    await eventually(`${node.name} is declared dead`, async () => {
      const rows = await cluster.sql(`SELECT 1 FROM nodes WHERE name = '${node.name}' AND NOT dead`);
      return rows.length === 0;
    });
    node.signal("SIGCONT");
    const woke = performance.now();
    cluster.up(node);
    for (const { pid, session } of agents) {
      await eventually(`agent ${pid} of ${node.name} is gone`, () => !node.agents().some((one) => one.pid === pid));
      book.agents.push({ node: node.name, pid, seenMs: performance.now() - woke, ...(session && { session }) });
    }
    if (agents.length > 0) stage.figure("ms until the agents of a fenced node were gone", performance.now() - woke);
    await pause(random.between(0, 200));
  },
};

/** Cuts a node off from the database, in one direction or both, for less than a lease or for more. */
const cutDatabase: Fault = {
  name: "partition of a node and the database",
  async run(stage) {
    const { cluster, random, pause } = stage;
    const node = await busiest(stage);
    const { toDatabase } = node.options;
    cluster.down(node, "cut off from the database");
    const how = random.between(0, 3);
    if (how === 0) toDatabase.refuse();
    else toDatabase.blackHole({ toServer: how !== 1, toClient: how !== 2 });
    await pause(cluster.leaseMs * random.pick([0.5, 1.2, 2.5]));
    toDatabase.heal();
    if (how !== 0 && random.chance(0.5)) toDatabase.cut();
    await ready(node);
    cluster.up(node);
  },
};

/** Cuts a node off from the other nodes, while both have the database: its sessions cannot be reached through them. */
const cutNodes: Fault = {
  name: "partition of a node and the others",
  async run(stage) {
    const { cluster, random, pause } = stage;
    const { toNode } = (await busiest(stage)).options;
    const how = random.between(0, 3);
    if (how === 0) toNode.refuse();
    else toNode.blackHole({ toServer: how !== 1, toClient: how !== 2 });
    await pause(cluster.leaseMs * random.pick([0.5, 1.5]));
    toNode.heal();
    if (how !== 0 && random.chance(0.5)) toNode.cut();
  },
};

/** The database is gone for so long, and then everybody is ready again. */
export async function databaseGone({ cluster, pause }: Stage, how: "fast" | "immediate", ms: number): Promise<void> {
  const { nodes, postgres } = cluster;
  for (const node of nodes) cluster.down(node, "no database");
  await postgres.halt(how);
  await pause(ms);
  await postgres.run();
  await Promise.all(nodes.map(ready));
  for (const node of nodes) cluster.up(node);
}

const restartDatabase: Fault = {
  name: "immediate restart of the database",
  run: (stage) => databaseGone(stage, "immediate", 0),
};

const databaseAway: Fault = {
  name: "the database away for everybody",
  run: (stage) => databaseGone(stage, "fast", 1.5 * stage.cluster.leaseMs),
};

/** Ends connections of nodes in the middle of their appends. */
const endBackends: Fault = {
  name: "backends terminated in appends",
  async run({ cluster, random, pause, figure }) {
    let ended = 0;
    for (let tries = 0; tries < 40 && ended < 5; tries++) {
      const rows = await cluster.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name LIKE 'node-%' AND state = 'active' AND query LIKE '%append_%'`,
      );
      ended += rows.length;
      await pause(random.between(1, 30));
    }
    figure("backends terminated in an append", ended);
  },
};

/** Loses the answers of appends, which are stored. */
const loseAnswers: Fault = {
  name: "answers lost after COMMIT",
  async run({ cluster, random, pause, figure }) {
    const proxies = cluster.nodes.map(({ options }) => options.toDatabase);
    const before = proxies.map(({ lost }) => lost);
    for (let round = 0; round < 6; round++) {
      for (const proxy of proxies) proxy.loseAnswer(says("append_"));
      await pause(random.between(20, 250));
    }
    for (const proxy of proxies) proxy.heal();
    figure(
      "answers lost after COMMIT",
      proxies.reduce((sum, { lost }, at) => sum + lost - (before[at] ?? 0), 0),
    );
  },
};

/** Every piece to and from the database comes late. */
const slowDatabase: Fault = {
  name: "a slow way to the database",
  async run({ cluster, random, pause }) {
    const { toDatabase } = random.pick(cluster.nodes).options;
    toDatabase.slow(random.between(5, 60));
    await pause(cluster.leaseMs / 2);
    toDatabase.heal();
  },
};

/** Asks a node to take nothing new, wait for its turns and stop; another tells it. */
const drain: Fault = {
  name: "a drain",
  async run(stage) {
    const { cluster, random } = stage;
    const node = random.pick(cluster.nodes);
    const other = random.pick(cluster.nodes.filter((one) => one !== node));
    // A node that was declared dead by the fault before is unknown until it has registered itself again.
    await eventually(`${node.name} drains`, async () => {
      const response = await fetch(`${other.url}/v1/nodes/${node.name}/drain`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const said = await response.text();
      const later = response.status === 404 || response.status === 503;
      if (response.status !== 202 && !later) throw new Error(`expected a drain, got ${response.status} ${said}`);
      return !later;
    });
    const ended = await node.ended();
    if (ended !== "exit 0") throw new Error(`expected ${node.name} to stop after its drain, got ${ended}`);
    cluster.down(node, "drained");
    await cluster.restart(node);
  },
};

/** Stops a node in order, and starts it with another clock. */
const stopInOrder: Fault = {
  name: "a clean stop, and a start with another clock",
  async run(stage) {
    const { cluster, random } = stage;
    const node = await busiest(stage);
    cluster.down(node, "stopped in order");
    const ended = await node.end("SIGTERM");
    if (ended !== "exit 0") throw new Error(`expected ${node.name} to stop in order, got ${ended}`);
    node.clock = random.pick([-3_600_000, 0, 3_600_000]);
    await cluster.restart(node);
  },
};

/** Resolves when a node says that it is ready. */
export async function ready(node: ChaosNode): Promise<void> {
  let last = "";
  const isReady = async (): Promise<boolean> => {
    last = await askReady(node);
    return last.startsWith("200");
  };
  await eventually(`${node.name} is ready`, isReady).catch((error: unknown) => {
    const { opened, open } = node.options.toDatabase;
    const state = node.running ? "runs" : "does not run";
    throw new Error(
      `${String(error)}: it ${state}, answers "${last}", and has ${open} of ${opened} connections to the database`,
    );
  });
}

/** The status and the body of a node's answer to the question whether it is ready, or why there is none. */
function askReady(node: ChaosNode): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(
      `${node.url}/ready`,
      { headers: { authorization: `Bearer ${TOKEN}` }, timeout: 3_000 },
      (answer) => {
        let body = "";
        answer.setEncoding("utf8").on("data", (text: string) => {
          body += text;
        });
        answer.on("end", () => resolve(`${answer.statusCode} ${body}`));
        answer.on("error", (error) => resolve(String(error)));
      },
    );
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.on("error", (error) => resolve(String(error)));
    asked.end();
  });
}

export const FAULTS: readonly Fault[] = [
  killOwner,
  killAndRestart,
  killAll,
  stopOwner,
  cutDatabase,
  cutNodes,
  restartDatabase,
  databaseAway,
  endBackends,
  loseAnswers,
  slowDatabase,
  holdSnapshot(3),
  drain,
  stopInOrder,
];
