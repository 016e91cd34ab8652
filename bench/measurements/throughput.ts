import { createHash } from "node:crypto";
import { call, createSession, prompt } from "../harness/api.ts";
import type { Measurement } from "../harness/figure.ts";
import { tempDirectory } from "../harness/machine.ts";
import { insertsPerSecond } from "../harness/plain-sqlite.ts";
import { type Reading, startReader } from "../harness/reader.ts";
import { SAMPLE_AGENT, type Server, startParley, startPlainRelay } from "../harness/server.ts";
import { median, nowMicros } from "../harness/stats.ts";

const SIZES = {
  full: { events: 200_000, warmUp: 20_000, rounds: 3 },
  tiny: { events: 2_000, warmUp: 200, rounds: 1 },
};
const GOAL = 20_000;

interface Flood {
  reading: Reading;
  perSecond: number;
}

/** One client follows a flood that starts when the prompt is sent and ends when the client has the turn's end. */
async function flood({ server, stream, texts, send }: Way, count: number): Promise<Flood> {
  await using scope = new AsyncDisposableStack();
  const reader = await startReader(scope, { url: server.url + stream, clients: 1, warmUp: 0, texts });
  const began = nowMicros();
  await send(`[[flood ${count}]]`);
  const reading = await reader.reading();
  // What came folded into a later event is no loss, but it is no event that went the whole way either.
  return { reading, perSecond: reading.deltas / ((reading.endedAt - began) / 1e6) };
}

type Send = (text: string) => Promise<unknown>;

function expectedText(count: number): string {
  const hash = createHash("sha256");
  for (let at = 1; at <= count; at++) hash.update(`word ${at} `);
  return hash.digest("hex");
}

/** What makes a flood a failure however fast it was. */
function faults({ lost, deltas, folded, broken, text }: Reading, count: number): string[] {
  const found: string[] = [];
  if (lost > 0) found.push(`${lost} lost`);
  if (deltas + folded !== count) found.push(`${deltas} pieces and ${folded} folded instead of ${count}`);
  if (broken > 0) found.push("the stream broke");
  if (!text?.piecesAgree || text.sha256 !== expectedText(count)) found.push("the text differs");
  return found;
}

/** A stream of one client, and the way to begin a turn of the sample agent. */
interface Way {
  server: Server;
  stream: string;
  texts: boolean;
  send: Send;
}

async function plainWay(scope: AsyncDisposableStack): Promise<Way> {
  const server = await startPlainRelay(scope, SAMPLE_AGENT);
  return { server, stream: "/events", texts: false, send: (text) => call(server, "POST", "/prompt", { text }) };
}

async function ourWay(scope: AsyncDisposableStack): Promise<Way> {
  const server = await startParley(scope);
  const session = await createSession(server, "scripted");
  const stream = `/v1/sessions/${session}/stream?after=latest`;
  return { server, stream, texts: true, send: (text) => prompt(server, session, text) };
}

/** Agent stdout, ledger, log and one client, as fast as they go. */
export const throughput: Measurement = {
  name: "throughput",
  async run(size) {
    const { events, warmUp, rounds } = SIZES[size];
    await using scope = new AsyncDisposableStack();
    const [plain, ours] = [await plainWay(scope), await ourWay(scope)];
    for (const way of [plain, ours]) await flood(way, warmUp);
    const floods: { plain: Flood; ours: Flood }[] = [];
    for (let round = 0; round < rounds; round++) {
      floods.push({ plain: await flood(plain, events), ours: await flood(ours, events) });
    }
    const found = floods.flatMap((round) => faults(round.ours.reading, events));
    const sum = (what: "bytes" | "events" | "folded"): number =>
      floods.reduce((total, round) => total + round.ours.reading[what], 0);
    const rowBytes = Math.round(sum("bytes") / sum("events"));
    const sqlite = insertsPerSecond(await tempDirectory(scope), events, rowBytes);
    const value = median(floods.map((round) => round.ours.perSecond));
    const work = "events through the whole path";
    const figure = { work, value, unit: "events/s" } as const;
    return {
      figures: [
        {
          ...figure,
          work: found.length > 0 ? `${work}: ${found.join(", ")}` : work,
          anchor: { name: "plain SQLite inserts", value: sqlite },
          goal: { text: "20,000 events/s, none lost", met: value >= GOAL && found.length === 0 },
        },
        {
          ...figure,
          anchor: { name: "plain pipe to SSE", value: median(floods.map((round) => round.plain.perSecond)) },
        },
      ],
      method:
        `A turn of ${events} pieces of text, after one of ${warmUp}, from the prompt to the turn's end at the client; median ` +
        `of ${rounds} rounds, in turns with the plain relay. Every number checked, the text compared; pieces that came ` +
        `folded into their completed item (${Math.round((100 * sum("folded")) / (rounds * events))} %) are not counted. ` +
        `SQLite: rows of the same size (${rowBytes} bytes and the agent's line), 1,000 to a commit, WAL, synchronous NORMAL.`,
    };
  },
};
