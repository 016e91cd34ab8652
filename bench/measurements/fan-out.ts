import { createSession, prompt } from "../harness/api.ts";
import type { Figure, Measurement } from "../harness/figure.ts";
import { type Followed, followPaced, plainFollow } from "../harness/follow.ts";
import { residentMb } from "../harness/machine.ts";
import { PACED_AGENT, startParley, startPlainRelay } from "../harness/server.ts";
import { median } from "../harness/stats.ts";

const SIZES = {
  full: { clients: 1000, rounds: 3, warmUp: 100, lines: 700 },
  tiny: { clients: 10, rounds: 1, warmUp: 5, lines: 20 },
};
const PERIOD_MS = 5;

/** Many clients of one session. */
export const fanOut: Measurement = {
  name: "fan-out",
  async run(size) {
    const { clients, rounds, warmUp, lines } = SIZES[size];
    const pace = { clients, warmUp, count: warmUp + lines, periodMs: PERIOD_MS };
    await using scope = new AsyncDisposableStack();
    const relay = await startPlainRelay(scope, PACED_AGENT);
    const server = await startParley(scope);
    const session = await createSession(server, "paced");
    await prompt(server, session, "50 1", true);
    const before = residentMb(server.child.pid);
    const plain: Followed[] = [];
    const ours: Followed[] = [];
    for (let round = 0; round < rounds; round++) {
      plain.push(await plainFollow(relay, pace));
      ours.push(await followPaced(server, session, pace));
    }
    const lost = ours.reduce((sum, reading) => sum + reading.lost + reading.broken, 0);
    const figure = (what: "median" | "p99"): Figure => ({
      work: `fan-out, ${what}`,
      value: median(ours.map((reading) => reading[what])),
      unit: "ms",
      anchor: { name: "plain pipe to SSE", value: median(plain.map((reading) => reading[what])) },
    });
    const worst = figure("p99");
    const met = lost === 0 && worst.value <= 1.5 * worst.anchor.value;
    return {
      figures: [
        figure("median"),
        {
          ...worst,
          goal: { text: "no gap, within 1.5x", met },
          faults: lost > 0 ? [`${lost} lost`] : [],
        },
        {
          work: "fan-out, memory",
          value: Math.max(...ours.map(({ memory }) => memory)),
          unit: "MB",
          anchor: { name: "without clients", value: before },
        },
      ],
      method:
        `${clients} SSE clients of one session at ${1000 / PERIOD_MS} events/s, in one client process, the same program for ` +
        `both servers; ${rounds} rounds of ${lines} events after ${warmUp} of warm-up, in turns with the plain relay; the median of the rounds is shown. Every client's ` +
        "numbers are checked.",
    };
  },
};
