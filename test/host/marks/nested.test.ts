import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { LineProcess } from "../../../src/host/contract.ts";
import { limitFor, numberOf, numbersIn } from "../../../src/host/marks/limit-mark.ts";
import { startTime } from "../../../src/host/process-identity.ts";
import { readLimit } from "../../../src/host/process-scan.ts";
import { listStrays, reap } from "../../../src/host/reaper.ts";
import { alive, collector, type Identity, identify, makeHost } from "../support.ts";

const own = readLimit("self");
const outer = own && limitFor(numberOf("outer", 1), own);
const skip = (!outer || !limitFor(numberOf("inner", 1), outer)) && "there is no room for a Parley in a Parley here";

interface Nest {
  inner: LineProcess;
  options: { runDirectory: string; instance: string };
  /** All that the inner one started: some left their group, one its environment, too. */
  started: Identity[];
}

/** A Parley that runs as an agent's program of another. */
async function nest(t: TestContext): Promise<Nest> {
  const { host, directory } = await makeHost(t, "outer");
  const options = { runDirectory: join(directory, "inner"), instance: `inner${process.pid}` };
  const file = fileURLToPath(new URL("../crash-server.ts", import.meta.url));
  const seen = collector();
  const argv = [process.execPath, file, options.runDirectory, directory, options.instance] as const;
  const inner = host.spawn({ argv, directory, session: "ses_outer" }, seen.events);
  const pids: number[] = JSON.parse(await seen.line((line) => line.startsWith("[")));
  const started = pids.filter((pid) => startTime(pid) !== undefined).map(identify);
  t.after(() => {
    for (const { pid } of started.filter(alive)) process.kill(pid, "SIGKILL");
  });
  assert.ok(started.length >= 8);
  for (const { pid } of started)
    assert.equal(numbersIn(readLimit(pid) ?? { soft: undefined, hard: undefined }).length, 2);
  return { inner, options, started };
}

test("a Parley's end ends the programs of a Parley inside it", { skip }, async (t) => {
  const { inner, started } = await nest(t);
  await inner.kill(300);
  assert.deepEqual(started.filter(alive), []);
});

test("the inner Parley knows its own, and ends nothing of the outer one", { skip }, async (t) => {
  const { inner, options, started } = await nest(t);
  const me = identify(inner.pid);
  const listed = new Set(listStrays(options).map(({ pid }) => pid));
  assert.deepEqual(
    started.filter(({ pid }) => !listed.has(pid)),
    [],
  );
  await reap({ ...options, graceMs: 300 });
  assert.deepEqual(started.filter(alive), []);
  assert.equal(alive(me), true);
});
