import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { onLinux } from "../../src/host/process-identity.ts";
import { runFlatHeap } from "../scenarios/flat-heap.ts";

// A server is looked at after all its garbage was collected, so that these need no quiet machine, only time.
const options = { skip: !onLinux && "needs SIGUSR2", timeout: 30 * 60_000 };
const minutes = Number(process.env.PARLEY_HEAP_MINUTES ?? 10);

test("1,000 turns of one session leave the server's heap as it was", options, (t) =>
  runFlatHeap(t, { agents: ["scripted"], warmUp: { turns: 300 }, work: { turns: 1_000 }, idleAgents: 8 }),
);

test("1,000 turns of one session of the house agent, too", options, (t) =>
  runFlatHeap(t, { agents: ["house"], warmUp: { turns: 300 }, work: { turns: 1_000 }, idleAgents: 8 }),
);

test(`${minutes} minutes of 20 sessions do, too, while agents end and begin anew`, options, (t) => {
  const agents = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? ("scripted" as const) : ("house" as const)));
  const warmUp = { minutes: minutes / 5 };
  return runFlatHeap(t, { agents, warmUp, work: { minutes }, idleAgents: 12, turnMs: 500 });
});

test("a server that keeps something of each request fails, and is told by its name", options, async (t) => {
  const imports = fileURLToPath(new URL("../support/heap/leaking-probe.mjs", import.meta.url));
  const leaking = { agents: ["scripted"], warmUp: { turns: 20 }, work: { turns: 40 }, idleAgents: 8, imports } as const;
  await assert.rejects(
    runFlatHeap(t, leaking),
    /expected no kind of object to grow with the turns[\s\S]*Kept: \d+ more/,
  );
});
