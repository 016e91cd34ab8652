import { createHash } from "node:crypto";
import { createSession, prompt } from "../harness/api.ts";
import type { Measurement } from "../harness/figure.ts";
import { tempDirectory } from "../harness/machine.ts";
import { insertsPerSecond } from "../harness/plain-sqlite.ts";
import { type Reading, startReader } from "../harness/reader.ts";
import { SCRIPTED_AGENT, type Server, startParley, startPlainRelay } from "../harness/server.ts";
import { nowMicros } from "../harness/stats.ts";

const EVENTS = { full: 200_000, tiny: 2_000 };
const WARM_UP = { full: 20_000, tiny: 200 };
const GOAL = 20_000;

interface Flood {
  reading: Reading;
  perSecond: number;
}

/** One client follows a flood that starts when the prompt is sent and ends when the client has the turn's end. */
async function flood(
  server: Server,
  to: { stream: string; texts: boolean },
  count: number,
  send: Send,
): Promise<Flood> {
  await using scope = new AsyncDisposableStack();
  const reader = await startReader(scope, { url: server.url + to.stream, clients: 1, warmUp: 0, texts: to.texts });
  const began = nowMicros();
  await send(`[[flood ${count}]]`);
  const reading = await reader.reading();
  return { reading, perSecond: count / ((reading.endedAt - began) / 1e6) };
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

async function plainRate(scope: AsyncDisposableStack, count: number): Promise<number> {
  const relay = await startPlainRelay(scope, SCRIPTED_AGENT);
  const send: Send = (text) =>
    fetch(`${relay.url}/prompt`, { method: "POST", body: JSON.stringify({ text }) }).then((answer) => answer.text());
  const to = { stream: "/events", texts: false };
  await flood(relay, to, WARM_UP.tiny, send);
  return (await flood(relay, to, count, send)).perSecond;
}

/** Agent stdout, ledger, log and one client, as fast as they go. */
export const throughput: Measurement = {
  name: "throughput",
  async run(size) {
    const count = EVENTS[size];
    await using scope = new AsyncDisposableStack();
    const plain = await plainRate(scope, count);
    const server = await startParley(scope);
    const session = await createSession(server, "scripted");
    const send: Send = (text) => prompt(server, session, text);
    await prompt(server, session, `[[flood ${WARM_UP[size]}]]`, true);
    const to = { stream: `/v1/sessions/${session}/stream?after=latest`, texts: true };
    const { reading, perSecond } = await flood(server, to, count, send);
    const found = faults(reading, count);
    const rowBytes = Math.round(reading.bytes / reading.events);
    const sqlite = insertsPerSecond(await tempDirectory(scope), count, rowBytes);
    const work = "events through the whole path";
    const text = "20,000 events/s, none lost";
    const figure = { work, value: perSecond, unit: "events/s" } as const;
    return {
      figures: [
        {
          ...figure,
          work: found.length > 0 ? `${work}: ${found.join(", ")}` : work,
          anchor: { name: "plain SQLite inserts", value: sqlite },
          goal: { text, met: perSecond >= GOAL && found.length === 0 },
        },
        { ...figure, anchor: { name: "plain pipe to SSE", value: plain } },
      ],
      method:
        `One turn of ${count} pieces of text, after one of ${WARM_UP[size]}, from the prompt to the turn's end at the ` +
        `client; every number checked (${reading.folded} came folded into a completed item), the text compared. SQLite: ` +
        `rows of the same size (${rowBytes} bytes and the agent's line), 1,000 to a commit, WAL, synchronous NORMAL.`,
    };
  },
};
