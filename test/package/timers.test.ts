import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A timer that fires, in any of its spellings. A process that only stays alive (`setInterval(() => {}, …)`) waits for nobody. */
const TIMER =
  /\bsetTimeout\(|\bsetTimeout as\b|\bsetInterval\((?!\(\) => \{\})|\bscheduler\.wait\(|\bAtomics\.wait|\bsleep\(/;

/** Timers that are not a wait for something to be done. Each has a reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "test/support/time.ts": "deadlines, and the one watch for things that must not happen",
  "test/support/eventually.ts": "the one poll",
  "test/support/distant-log.ts": "a log that answers and tells late",
  "test/support/tcp-proxy.ts": "a network that is slow",
  "test/support/loop-probe.mjs": "measures how long an event loop is held up",
  "test/support/agents/lingers.mjs": "an agent that stays for a while",
  "test/support/agents/split-bytes.mjs": "an agent whose bytes come one after the other",
  "test/agents/house/test-tools.ts": "a tool that takes its time",
  "test/host/process-host.test.ts": "a program that talks on",
  "test/agents/acp/hostile-serving.test.ts": "measures memory while a program asks without end",
  "test/client/stream-faults.test.ts": "a server that sends heartbeats",
  "test/server/body-limit.test.ts": "a client that sends too slowly",
  "test/surfaces/stream/sse-clients.test.ts": "a reader that is slow, and a writer that is quicker than heartbeats",
  "test/scenarios/turn-mix.ts": "clients that act at random moments",
  "test/support/chaos/proxy.ts": "a connection that is late",
  "test/agents/opencode/follow/event-stream.test.ts": "a server that sends heartbeats",
  "test/scenarios/come-and-go.ts": "clients that leave at random moments",
  "test/scenarios/cancel-race.ts": "cancels at random moments",
  "test/scenarios/crash.ts": "kills at random moments",
  "test/postgres/lines.test.ts": "the timer that must come",
  "test/cluster/chaos/moments.ts": "clients and faults at random moments",
  "test/scenarios/soak.ts": "clients at a steady pace, and a rest between two looks at memory",
};

function read(file: string): string {
  return readFileSync(`${ROOT}/${file}`, "utf8");
}

// Programs in test/fixtures are agents that are slow, or late, on purpose.
const files = globSync("test/**/*.{ts,mjs}", { cwd: ROOT, exclude: ["test/fixtures/**"] })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file !== "test/package/timers.test.ts");
const timed = files.filter((file) => TIMER.test(read(file))).sort();

describe("tests wait for events", () => {
  test("and not for time: a watch that nothing happens is staysSo of test/support/time.ts", () => {
    assert.deepEqual(
      timed.filter((file) => !(file in EXCEPTIONS)),
      [],
    );
  });

  test("each exception still has its timer", () => {
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((file) => !timed.includes(file)),
      [],
    );
  });

  for (const [line, found] of [
    ["await new Promise((resolve) => setTimeout(resolve, 50));", true],
    ['import { setTimeout as delay } from "node:timers/promises";', true],
    ["await sleep(50)", true],
    ["const drip = setInterval(() => socket.write(' '), 20);", true],
    ["setInterval(() => {}, 1000);", false],
    ['t.mock.timers.enable({ apis: ["setTimeout"] });', false],
    ['import { setImmediate as nextTurn } from "node:timers/promises";', false],
  ] as const) {
    test(`${line} is ${found ? "a timer" : "no timer"}`, () => assert.equal(TIMER.test(line), found));
  }
});
