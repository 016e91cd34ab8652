import { hasPostgres, PostgresServer } from "../../test/support/postgres-server.ts";
import type { Figure, Measurement } from "../harness/figure.ts";
import { type PlainWriter, plainWriters } from "../harness/plain-postgres.ts";
import { type BenchNode, pieces, startNode, type Writer } from "../harness/postgres-nodes.ts";
import { percentile, timed } from "../harness/stats.ts";
import { each, inTurns, samples } from "../harness/versus.ts";

const SIZES = {
  full: { rounds: 6, floodMs: 1_500, commits: 300 },
  tiny: { rounds: 2, floodMs: 100, commits: 10 },
};
const NODES = 3;
const GROUP = 50;
const TEXT = "some words of an agent, ";
const ANCHOR = "plain inserts by pg";

interface Stage {
  nodes: BenchNode[];
  plain: PlainWriter[];
}

/** Events a second of some writers that each wait for their own commit. */
async function perSecond(writes: readonly (() => Promise<void>)[], events: number, ms: number): Promise<number> {
  const began = performance.now();
  let stored = 0;
  await Promise.all(
    writes.map(async (write) => {
      while (performance.now() - began < ms) {
        await write();
        stored += events;
      }
    }),
  );
  return stored / ((performance.now() - began) / 1000);
}

async function flood({ nodes, plain }: Stage, events: number, rounds: number, ms: number): Promise<Figure> {
  const writers = await Promise.all(nodes.map((node) => node.writer()));
  const entries = pieces(events, TEXT);
  const ways = {
    native: plain.map((writer) => () => writer.insert(events)),
    parley: writers.map((writer) => () => writer.append(entries)),
  };
  const rates = samples();
  await inTurns(rounds, async (side) => {
    rates[side].push(await perSecond(ways[side], events, ms));
  });
  const { native, parley } = each(rates, 0.5);
  return {
    work: `append ${events}, ${NODES} nodes`,
    value: parley,
    unit: "events/s",
    anchor: { name: ANCHOR, value: native },
    goal: { text: "at least 0.5x", met: parley >= 0.5 * native },
  };
}

/** How long after its append began a commit was heard of. */
async function hear(writer: Writer, listen: (heard: () => void) => () => void): Promise<number> {
  const began = performance.now();
  let stop: (() => void) | undefined;
  const heard = new Promise<void>((resolve) => {
    stop = listen(resolve);
  });
  await writer.append(pieces(1, TEXT));
  await heard;
  stop?.();
  return performance.now() - began;
}

async function latencies({ nodes, plain }: Stage, commits: number): Promise<Figure[]> {
  const [here, there] = nodes;
  const [inserter] = plain;
  if (!here || !there || !inserter) throw new Error("expected nodes and a plain writer");
  const writer = await here.writer();
  // Somebody always listens: the first listener of a session costs a look of its own.
  there.log.listen(writer.session, () => undefined);
  there.log.listenAll(() => undefined);
  const times: Record<"plain" | "append" | "other" | "all", number[]> = { plain: [], append: [], other: [], all: [] };
  const once = async (): Promise<void> => {
    times.plain.push(await timed(() => inserter.insert(1)));
    times.append.push(await timed(() => writer.append(pieces(1, TEXT))));
    times.other.push(await hear(writer, (heard) => there.log.listen(writer.session, heard)));
    times.all.push(await hear(writer, (heard) => there.log.listenAll(heard)));
  };
  for (let n = 0; n < commits; n++) await once();
  const at = (share: number) => ({
    plain: percentile(times.plain, share),
    append: percentile(times.append, share),
    other: percentile(times.other, share),
    all: percentile(times.all, share),
  });
  const [half, late] = [at(0.5), at(0.99)];
  const figure = (work: string, value: number, plainMs: number, limit: number, text: string): Figure => ({
    work,
    value,
    unit: "ms",
    anchor: { name: "plain insert by pg", value: plainMs },
    goal: { text, met: value <= limit },
  });
  return [
    figure("append, median", half.append, half.plain, 2 * half.plain, "at most 2x"),
    figure("append, p99", late.append, late.plain, 4 * late.plain, "at most 4x"),
    figure("other node, median", half.other, half.plain, half.plain + 10, "plain + 10 ms"),
    figure("other node, p99", late.other, late.plain, late.plain + 60, "plain + 60 ms"),
    figure("all there, median", half.all, half.plain, 3 * half.plain + 15, "3x plain + 15 ms"),
  ];
}

/** A text as long as the events that the log stores. */
async function storedJson([node]: readonly BenchNode[]): Promise<string> {
  const writer = await node?.writer();
  await writer?.append(pieces(1, TEXT));
  const [, record] = (writer && (await node?.log.read(writer.session, { after: 0, limit: 2 }))) ?? [];
  return "x".repeat(record?.json.length ?? 0);
}

/** The log on PostgreSQL beside plain inserts by the same client, in the same database. */
export const postgres: Measurement = {
  name: "postgres",
  async run(size) {
    const { rounds, floodMs, commits } = SIZES[size];
    const method =
      `The log on a PostgreSQL of its own (fsync on), ${NODES} logs in one process, beside as many connections that insert ` +
      `rows of the same size with one statement each: a session a log, ${floodMs} ms a round, ${rounds} rounds in turns. ` +
      `Latency: ${commits} commits of one event, one after the other; "other node" and "all there" until a listener of the ` +
      "session, and one of all sessions, on another log has heard of it.";
    if (!hasPostgres()) return { figures: [], method, skipped: "there is no PostgreSQL here (Debian: postgresql)" };
    await using scope = new AsyncDisposableStack();
    const server = await PostgresServer.start();
    scope.defer(() => server.stop());
    const url = server.url(await server.createDatabase());
    const nodes: BenchNode[] = [];
    for (let n = 0; n < NODES; n++) nodes.push(await startNode(scope, url, `node-${n}`));
    const stage: Stage = { nodes, plain: await plainWriters(scope, url, NODES, await storedJson(nodes)) };
    for (const events of [GROUP, 1]) await flood(stage, events, 1, floodMs / 3);
    return {
      figures: [
        await flood(stage, GROUP, rounds, floodMs),
        await flood(stage, 1, rounds, floodMs),
        ...(await latencies(stage, commits)),
      ],
      method,
    };
  },
};
