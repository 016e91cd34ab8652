import { setTimeout as delay } from "node:timers/promises";
import { call, createSession, prompt } from "../harness/api.ts";
import { type Measurement, under } from "../harness/figure.ts";
import { residentMb } from "../harness/machine.ts";
import { type Server, startParley, startPlainServer } from "../harness/server.ts";
import { median } from "../harness/stats.ts";

const SAMPLES = { full: 10, tiny: 2 };
const EVERY_MS = 200;

interface Page {
  events: { type: string }[];
  next: number;
}

/** The agent is let go when it has been idle for a second; the log tells when it is gone. */
async function untilEnded(server: Server, session: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { events } = await call<Page>(server, "GET", `/v1/sessions/${session}/events`);
    if (events.some(({ type }) => type === "session.ended")) return;
    await delay(100);
  }
  throw new Error("expected the idle agent to be closed within 10 s, it was not");
}

async function resting(pid: number, samples: number): Promise<number> {
  const seen: number[] = [];
  for (let at = 0; at < samples; at++) {
    await delay(EVERY_MS);
    seen.push(residentMb(pid));
  }
  return median(seen);
}

/** What the server holds while nobody does anything. */
export const memory: Measurement = {
  name: "memory",
  async run(size) {
    await using scope = new AsyncDisposableStack();
    const plain = await startPlainServer(scope);
    await call(plain, "GET", "/health");
    const server = await startParley(scope, { flags: ["--idle-close", "1s"] });
    const session = await createSession(server, "scripted");
    await prompt(server, session, "hello", true);
    await untilEnded(server, session);
    const value = await resting(server.child.pid, SAMPLES[size]);
    const anchor = { name: "plain node server", value: await resting(plain.child.pid, SAMPLES[size]) };
    return {
      figures: [{ work: "idle memory", value, unit: "MB", anchor, goal: under(90, "MB", value) }],
      method:
        `VmRSS of the one server process, median of ${SAMPLES[size]} samples ${EVERY_MS} ms apart, after all surfaces ` +
        "were imported, a session was made, a turn was run and its agent was closed.",
    };
  },
};
