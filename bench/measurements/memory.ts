import { setTimeout as delay } from "node:timers/promises";
import { startScriptedModel } from "../../src/testing/model/server.ts";
import { houseConfig } from "../../test/support/opencode/native.ts";
import { call, createSession, prompt } from "../harness/api.ts";
import type { BriefMeasurement, Figure } from "../harness/figure.ts";
import { residentMb } from "../harness/machine.ts";
import { type Server, startParley, startPlainServer } from "../harness/server.ts";

/** A server without work collects its garbage, and some seconds after that V8 gives back the room it took. */
const REST_MS = { full: 25_000, brief: 25_000, tiny: 100 };
const HOUSE_TURNS = { full: 20, brief: 20, tiny: 2 };

const upTo = (limit: number, value: number): Figure["goal"] => ({ text: `at most ${limit} MB`, met: value <= limit });

interface Page {
  events: { type: string }[];
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

/** One start that is not measured leaves its compiled code, as on every machine that has started Parley before. */
async function oneTurn(): Promise<void> {
  await using scope = new AsyncDisposableStack();
  const server = await startParley(scope);
  await prompt(server, await createSession(server, "scripted"), "hello", true);
}

/** The memory of a server with Parley's own agent and a scripted model: after so many turns of one session, at rest. */
async function afterHouseTurns(turns: number, restMs: number): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const model = await startScriptedModel({ script: { prompts: { "*": [{ text: "All is well here." }] } } });
  scope.defer(() => model.close());
  const config = { house: houseConfig(model.url) };
  const server = await startParley(scope, { flags: ["--idle-close", "1s"], config });
  const session = await createSession(server, "house");
  for (let turn = 0; turn < turns; turn++) await prompt(server, session, `turn ${turn}`, true);
  await untilEnded(server, session);
  await delay(restMs);
  return residentMb(server.child.pid);
}

/** The memory of a server without work. */
export const memory: BriefMeasurement = {
  name: "memory",
  async run(size) {
    const restMs = REST_MS[size];
    await using scope = new AsyncDisposableStack();
    const plain = await startPlainServer(scope);
    await call(plain, "GET", "/health");
    await oneTurn();
    const server = await startParley(scope, { flags: ["--idle-close", "1s"] });
    const session = await createSession(server, "scripted");
    await prompt(server, session, "hello", true);
    await untilEnded(server, session);
    const working = residentMb(server.child.pid);
    await delay(restMs);
    const value = residentMb(server.child.pid);
    const anchor = { name: "plain node server", value: residentMb(plain.child.pid) };
    const turns = HOUSE_TURNS[size];
    await afterHouseTurns(1, 0);
    const house = await afterHouseTurns(turns, restMs);
    return {
      figures: [
        { work: "memory, idle", value, unit: "MB", anchor, goal: upTo(80, value) },
        { work: "memory, after a turn", value: working, unit: "MB", anchor },
        { work: "memory, house turns", value: house, unit: "MB", anchor, goal: upTo(100, house) },
      ],
      method:
        "VmRSS of the one server process after all surfaces were imported, a session was made, a turn was run and its " +
        `agent was closed; idle is ${restMs / 1000} s later, when V8 has given back what loading took. House turns: the ` +
        `same of a server of its own, after ${turns} turns of Parley's own agent with a scripted model. Each is the second ` +
        "start, which finds the code compiled.",
    };
  },
};
