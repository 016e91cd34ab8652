import { call, createSession, prompt } from "../harness/api.ts";
import type { Measurement } from "../harness/figure.ts";
import { type Flood, floodFaults, floodPrompt } from "../harness/flood.ts";
import { tempDirectory, workOf } from "../harness/machine.ts";
import { insertsPerSecond } from "../harness/plain-sqlite.ts";
import { type Reading, startReader } from "../harness/reader.ts";
import { SAMPLE_AGENT, type Server, startParley, startPlainRelay } from "../harness/server.ts";
import { settled } from "../harness/settled.ts";
import { median, nowMicros } from "../harness/stats.ts";

export const SIZES = {
  full: { flood: { items: 4, pieces: 50_000 }, warmUp: { items: 1, pieces: 20_000 }, rounds: 3 },
  tiny: { flood: { items: 4, pieces: 500 }, warmUp: { items: 1, pieces: 200 }, rounds: 1 },
};
const GOAL = 20_000;
/** The share of the relay's speed that storing, checking and numbering may leave. */
const SHARE = 0.9;

interface Flooded {
  reading: Reading;
  perSecond: number;
}

/** The work of a server after a flood, such as folding it, is not to fall into the time of the other. */
const AT_REST = { pauseMs: 100, looks: 4, tolerance: 2, most: 100 };

/** One client follows a flood that starts when the prompt is sent and ends when the client has the turn's end. */
async function send({ server, stream, prompt: begin }: Way, flood: Flood): Promise<Flooded> {
  await using scope = new AsyncDisposableStack();
  // The same client for both: one that keeps the texts has a third more to do.
  const reader = await startReader(scope, { url: server.url + stream, clients: 1, warmUp: 0, texts: true });
  const began = nowMicros();
  await begin(floodPrompt(flood));
  const reading = await reader.reading();
  await settled(() => workOf(server.child.pid), AT_REST);
  // A piece that came folded into a later event is not lost, but it did not go the whole way either.
  return { reading, perSecond: reading.deltas / ((reading.endedAt - began) / 1e6) };
}

/** A stream of one client, and the way to begin a turn of the sample agent. */
interface Way {
  server: Server;
  stream: string;
  prompt(text: string): Promise<unknown>;
}

async function plainWay(scope: AsyncDisposableStack): Promise<Way> {
  const server = await startPlainRelay(scope, SAMPLE_AGENT);
  return { server, stream: "/events", prompt: (text) => call(server, "POST", "/prompt", { text }) };
}

async function ourWay(scope: AsyncDisposableStack): Promise<Way> {
  const server = await startParley(scope);
  const session = await createSession(server, "scripted");
  const stream = `/v1/sessions/${session}/stream?after=latest`;
  return { server, stream, prompt: (text) => prompt(server, session, text) };
}

/** Agent stdout, ledger, log and one client, as fast as they go. */
export const throughput: Measurement = {
  name: "throughput",
  async run(size) {
    const { flood, warmUp, rounds } = SIZES[size];
    const events = flood.items * flood.pieces;
    await using scope = new AsyncDisposableStack();
    const [plain, ours] = [await plainWay(scope), await ourWay(scope)];
    for (const way of [plain, ours]) await send(way, warmUp);
    const floods: { plain: Flooded; ours: Flooded }[] = [];
    for (let round = 0; round < rounds; round++) {
      floods.push({ plain: await send(plain, flood), ours: await send(ours, flood) });
    }
    const faults = floods.flatMap((round) => floodFaults(round.ours.reading, flood));
    const sum = (what: "bytes" | "events" | "folded"): number =>
      floods.reduce((total, round) => total + round.ours.reading[what], 0);
    const rowBytes = Math.round(sum("bytes") / sum("events"));
    const sqlite = insertsPerSecond(await tempDirectory(scope), events, rowBytes);
    const value = median(floods.map((round) => round.ours.perSecond));
    const relay = median(floods.map((round) => round.plain.perSecond));
    const figure = { work: "throughput", value, unit: "events/s" } as const;
    return {
      figures: [
        {
          ...figure,
          faults,
          anchor: { name: "plain SQLite inserts", value: sqlite },
          goal: { text: "20,000 events/s, none lost", met: value >= GOAL && faults.length === 0 },
        },
        {
          ...figure,
          anchor: { name: "plain pipe to SSE", value: relay },
          goal: { text: `at least ${SHARE}x`, met: value >= SHARE * relay },
        },
      ],
      method:
        `Events through the whole path. A turn of ${events} pieces of text in ${flood.items} items, after one of ` +
        `${warmUp.pieces}, from the prompt to the turn's end at the client; median of ${rounds} rounds, in turns with the ` +
        "plain relay, each once the other is at rest, by the same client. Every number checked, every text compared when the clock has stopped; pieces that came folded into their completed item " +
        `(${Math.round((100 * sum("folded")) / (rounds * events))} %) are not counted. ` +
        `SQLite: rows of the same size (${rowBytes} bytes and the agent's line), 1,000 to a commit, WAL, synchronous NORMAL.`,
    };
  },
};
