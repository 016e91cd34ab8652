import { createSession, prompt } from "../harness/api.ts";
import { type BriefMeasurement, type Figure, under } from "../harness/figure.ts";
import { followPaced, plainFollow } from "../harness/follow.ts";
import { PACED_AGENT, startParley, startPlainRelay } from "../harness/server.ts";
import { median } from "../harness/stats.ts";

const SIZES = {
  full: { rounds: 3, warmUp: 300, lines: 1000, periodMs: 2 },
  brief: { rounds: 1, warmUp: 300, lines: 1000, periodMs: 2 },
  tiny: { rounds: 1, warmUp: 5, lines: 20, periodMs: 2 },
};

/** From the agent's line to the one client's event. */
export const latency: BriefMeasurement = {
  name: "latency",
  async run(size) {
    const { rounds, warmUp, lines, periodMs } = SIZES[size];
    const pace = { clients: 1, warmUp, count: warmUp + lines, periodMs };
    await using scope = new AsyncDisposableStack();
    const relay = await startPlainRelay(scope, PACED_AGENT);
    const server = await startParley(scope);
    const session = await createSession(server, "paced");
    await prompt(server, session, "50 1", true);
    const plain = { median: [] as number[], p99: [] as number[] };
    const ours = { median: [] as number[], p99: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const [into, follow] of [
        [plain, () => plainFollow(relay, pace)],
        [ours, () => followPaced(server, session, pace)],
      ] as const) {
        const reading = await follow();
        into.median.push(reading.median);
        into.p99.push(reading.p99);
      }
    }
    const figure = (what: "median" | "p99", limit: number): Figure => {
      const value = median(ours[what]);
      const anchor = { name: "plain pipe to SSE", value: median(plain[what]) };
      return { work: `latency, ${what}`, value, unit: "ms", anchor, goal: under(limit, "ms", value) };
    };
    return {
      figures: [figure("median", 1.5), figure("p99", 5)],
      method:
        `Agent line to SSE frame. The agent stamps each line, one every ${periodMs} ms, with the machine's monotonic clock; a client in its own ` +
        `process notes the arrival. ${rounds} rounds of ${lines} lines after ${warmUp} of warm-up, in turns with the ` +
        "plain relay; the median of the rounds is shown.",
    };
  },
};
