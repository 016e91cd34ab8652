import { connect } from "node:net";
import { createSession, prompt } from "../harness/api.ts";
import type { Measurement } from "../harness/figure.ts";
import { type Followed, followPaced } from "../harness/follow.ts";
import { startParley } from "../harness/server.ts";
import { median } from "../harness/stats.ts";

const SIZES = {
  full: { clients: 99, rounds: 5, warmUp: 100, lines: 700 },
  tiny: { clients: 5, rounds: 1, warmUp: 5, lines: 20 },
};
const PERIOD_MS = 5;

/** A client that asks for a stream and never reads a byte of it. */
function freeze(url: string, path: string): Disposable {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
  return { [Symbol.dispose]: () => void socket.destroy() };
}

/** One client that stands still among many that read. */
export const frozen: Measurement = {
  name: "frozen",
  async run(size) {
    const { clients, rounds, warmUp, lines } = SIZES[size];
    const pace = { clients, warmUp, count: warmUp + lines, periodMs: PERIOD_MS };
    await using scope = new AsyncDisposableStack();
    const server = await startParley(scope);
    const session = await createSession(server, "paced");
    await prompt(server, session, "50 1", true);
    const alone: Followed[] = [];
    const beside: Followed[] = [];
    for (let round = 0; round < rounds; round++) {
      alone.push(await followPaced(server, session, pace));
      using _still = freeze(server.url, `/v1/sessions/${session}/stream?after=0`);
      beside.push(await followPaced(server, session, pace));
    }
    const lost = beside.reduce((sum, reading) => sum + reading.lost + reading.broken, 0);
    const value = median(beside.map(({ p99 }) => p99));
    const anchor = { name: "without it", value: median(alone.map(({ p99 }) => p99)) };
    return {
      figures: [
        {
          work: "frozen reader, p99",
          faults: lost > 0 ? [`${lost} lost`] : [],
          value,
          unit: "ms",
          anchor,
          goal: { text: "no gap, within 1.2x", met: lost === 0 && value <= 1.2 * anchor.value },
        },
      ],
      method:
        `${clients} streams at ${1000 / PERIOD_MS} events/s, ${rounds} rounds with and ${rounds} without a further client that ` +
        "asks for the whole history and reads nothing, in turns; the medians are shown.",
    };
  },
};
