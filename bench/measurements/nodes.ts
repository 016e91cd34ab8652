import { hasPostgres, PostgresServer } from "../../test/support/postgres-server.ts";
import { createSession, prompt } from "../harness/api.ts";
import type { Measurement } from "../harness/figure.ts";
import { type Flood, floodFaults, floodPrompt } from "../harness/flood.ts";
import { tempDirectory } from "../harness/machine.ts";
import { type Reading, startReader } from "../harness/reader.ts";
import { type Server, startParley } from "../harness/server.ts";
import { median, nowMicros } from "../harness/stats.ts";

const SIZES = {
  full: { flood: { items: 2, pieces: 10_000 }, rounds: 3 },
  tiny: { flood: { items: 2, pieces: 200 }, rounds: 1 },
};
const NODES = 3;
const GOAL = 5_000;

interface Flooded {
  readings: Reading[];
  perSecond: number;
}

/** Each node has a session with a flood of its own, which a client of the next node follows. */
async function flooded(nodes: readonly Server[], flood: Flood): Promise<Flooded> {
  await using scope = new AsyncDisposableStack();
  const directory = await tempDirectory(scope);
  const sessions = await Promise.all(nodes.map((node) => createSession(node, "scripted", directory)));
  const readers = await Promise.all(
    sessions.map((session, at) => {
      const watched = nodes[(at + 1) % nodes.length] ?? nodes[0];
      const url = `${watched?.url}/v1/sessions/${session}/stream?after=latest`;
      return startReader(scope, { url, clients: 1, warmUp: 0, texts: true });
    }),
  );
  const began = nowMicros();
  await Promise.all(nodes.map((node, at) => prompt(node, sessions[at] ?? "", floodPrompt(flood))));
  const readings = await Promise.all(readers.map((reader) => reader.reading()));
  const ended = Math.max(...readings.map(({ endedAt }) => endedAt));
  const pieces = nodes.length * flood.items * flood.pieces;
  return { readings, perSecond: pieces / ((ended - began) / 1e6) };
}

/** Three nodes and their database on one machine, each client at another node than its session. */
export const nodes: Measurement = {
  name: "nodes",
  async run(size) {
    const { flood, rounds } = SIZES[size];
    const each = flood.items * flood.pieces;
    const method =
      `${NODES} nodes and a PostgreSQL of their own (fsync on) on this machine. Each node has a session with a turn of ${each} pieces, ` +
      "followed by a client of the next node; from the prompts to the last turn's end at its client, every text compared. " +
      `Median of ${rounds} rounds, in turns with one node on the same database.`;
    if (!hasPostgres()) return { figures: [], method, skipped: "there is no PostgreSQL here (Debian: postgresql)" };
    await using scope = new AsyncDisposableStack();
    const server = await PostgresServer.start();
    scope.defer(() => server.stop());
    const env = { PARLEY_DATABASE: server.url(await server.createDatabase()) };
    const all: Server[] = [];
    for (let n = 0; n < NODES; n++) all.push(await startParley(scope, { env, flags: ["--node-name", `node-${n}`] }));
    const warmUp = { items: 1, pieces: Math.ceil(flood.pieces / 5) };
    await flooded(all, warmUp);
    const rates: { one: number[]; three: number[]; faults: string[] } = { one: [], three: [], faults: [] };
    for (let round = 0; round < rounds; round++) {
      const one = await flooded(all.slice(0, 1), flood);
      const three = await flooded(all, flood);
      rates.one.push(one.perSecond);
      rates.three.push(three.perSecond);
      for (const { readings } of [one, three]) rates.faults.push(...readings.flatMap((one) => floodFaults(one, flood)));
    }
    const value = median(rates.three);
    const { faults } = rates;
    return {
      figures: [
        {
          work: "three nodes",
          value,
          unit: "events/s",
          faults,
          anchor: { name: "one node on PostgreSQL", value: median(rates.one) },
          goal: { text: "5,000 events/s, none lost", met: value >= GOAL && faults.length === 0 },
        },
      ],
      method,
    };
  },
};
