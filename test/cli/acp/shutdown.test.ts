import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { acquireLock, readLock } from "../../../src/host/data-lock.ts";
import { strays } from "../../support/process.ts";
import { assertWithin, firstOf, long } from "../../support/time.ts";
import { finished, Home, said } from "../support.ts";
import { openAcp } from "./support.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/opencode-serve.mjs", import.meta.url));

/** Nothing runs any more, and another server may start. */
async function assertGone(home: Home): Promise<void> {
  assert.deepEqual(strays(home.dataDir), []);
  const lock = await acquireLock(home.dataDir);
  assert.ok(lock.ok, "the data directory is free");
  lock.release();
}

const SLOW = "[[slow 600000]]";

test("parley acp: ends with its client, and takes its server and the agents along", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  assert.equal(readLock(home.dataDir)?.pid, peer.pid);
  const { code, ms } = await peer.leave();
  assert.equal(code, 0);
  assertWithin(ms, 2_000, "the exit");
  await assertGone(home);
});

test("parley acp: a client that leaves in mid-turn leaves a turn that has ended", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  const { code, ms } = await peer.leave();
  assert.equal(code, 0);
  assertWithin(ms, 2_000, "the exit");
  await assertGone(home);
  const events = (await home.run(["events", session, "--json"])).stdout.trim().split("\n");
  const ends = events.map((line) => JSON.parse(line)).filter(({ type }) => type === "turn.ended");
  assert.equal(ends.length, 1);
});

test("parley acp: a client that leaves at once leaves nothing of a program that was started ahead", async () => {
  await using home = new Home();
  const program = home.write("opencode", `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  chmodSync(program, 0o755);
  const env = { PARLEY_OPENCODE_BIN: program, PARLEY_OPENCODE_PORTS: "24200-24999" };
  const { code, stderr } = await home.run(["acp", "--agent", "opencode"], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  await assertGone(home);
});

for (const signal of firstOf(["SIGTERM", "SIGINT", "SIGHUP"] as const, 1)) {
  test(`parley acp: ${signal} in mid-turn ends it cleanly`, async () => {
    await using home = new Home();
    const { peer, session } = await openAcp(home);
    await using _ = peer;
    peer.prompt(session, SLOW);
    await peer.until("the agent talks", () => peer.text !== "");
    peer.child.kill(signal);
    assert.deepEqual({ ...(await peer.exited()), ms: 0 }, { code: 0, signal: null, ms: 0 });
    await assertGone(home);
  });
}

test("parley acp: a client that closes our stdout is gone", long, async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  peer.child.stdout?.destroy();
  assert.equal((await peer.exited()).code, 0);
  await assertGone(home);
});

test("parley acp: a client that is killed takes all pipes with it, and leaves no process", long, async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  for (const pipe of [peer.child.stderr, peer.child.stdout, peer.child.stdin]) pipe?.destroy();
  assert.equal((await peer.exited()).code, 0);
  await assertGone(home);
});

test("parley acp: a client that reads nothing does not keep it from ending", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  peer.child.stdout?.pause();
  peer.prompt(session, "[[flood 20000]]");
  const url = readLock(home.dataDir)?.url;
  assert.equal((await fetch(`${url}/health`)).status, 200, "the server in it still answers");
  const exit = peer.leave();
  peer.child.stdout?.pause();
  assert.equal((await exit).code, 0);
  await assertGone(home);
});

test("parley acp: its server stays for a command that works through it, and leaves at once by a signal", async () => {
  await using home = new Home();
  const { peer } = await openAcp(home);
  await using _ = peer;
  const run = home.start(["run", "[[slow 1500]]"]);
  const result = finished(run);
  await said(run.stdout, " ");
  const exit = peer.leave();
  assert.equal((await result).code, 0, "the turn of the other command came to its end");
  assert.equal((await exit).code, 0);
  assert.match(peer.stderr, /another command works through this server/);

  const again = await openAcp(home);
  await using second = again.peer;
  const other = home.start(["run", SLOW]);
  const cut = finished(other);
  await said(other.stdout, " ");
  second.child.stdin?.end();
  await second.until("it waits", () => second.stderr.includes("another command works"));
  second.child.kill("SIGTERM");
  assert.equal((await second.exited()).code, 0);
  await cut;
  await assertGone(home);
});
