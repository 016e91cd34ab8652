import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { acquireLock, readLock } from "../../../src/host/data-lock.ts";
import type { Message, Peer } from "../../support/acp/peer.ts";
import { eventually } from "../../support/eventually.ts";
import { strays } from "../../support/process.ts";
import { assertWithin, firstOf, long } from "../../support/time.ts";
import { finished, Home, said } from "../support.ts";
import { openAcp, startAcp } from "./support.ts";

const STAND_IN = fileURLToPath(new URL("../../fixtures/agents/opencode-serve.mjs", import.meta.url));

/** Nothing runs any more, and another server may start. */
async function assertGone(home: Home): Promise<void> {
  assert.deepEqual(strays(home.dataDir), []);
  const lock = await acquireLock(home.dataDir);
  assert.ok(lock.ok, "the data directory is free");
  lock.release();
}

const SLOW = "[[slow 600000]]";

/** The one answer to a request, of a process that has ended: what it wrote may still be on its way. */
async function onlyAnswer(peer: Peer, id: number): Promise<Message | undefined> {
  await eventually("the answer", () => peer.answersTo(id).length > 0);
  assert.equal(peer.answersTo(id).length, 1);
  return peer.answersTo(id)[0];
}

/** Begins a turn that lasts, and sees it run. */
async function slowTurn(peer: Peer, session: string): Promise<number> {
  const prompt = peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  return prompt;
}

async function storedEvents(home: Home, session: string): Promise<{ type: string; data: { reason?: string } }[]> {
  const lines = (await home.run(["events", session, "--json"])).stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

async function storedTypes(home: Home, session: string): Promise<string[]> {
  return (await storedEvents(home, session)).map(({ type }) => type);
}

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

test("parley acp: a client that leaves in mid-turn leaves a turn that has ended, and a prompt that is answered", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  const prompt = await slowTurn(peer, session);
  const { code, ms } = await peer.leave();
  assert.equal(code, 0);
  const { error } = (await onlyAnswer(peer, prompt)) ?? {};
  assert.deepEqual(error?.data, { code: "interrupted" });
  assert.match(error?.message ?? "", /was stopped/);
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
  test(`parley acp: ${signal} in mid-turn ends it cleanly, and answers every prompt after its turn's updates`, async () => {
    await using home = new Home();
    const { peer, session } = await openAcp(home);
    await using _ = peer;
    const runs = await slowTurn(peer, session);
    const waits = peer.prompt(session, "hello");
    peer.child.kill(signal);
    assert.deepEqual({ ...(await peer.exited()), ms: 0 }, { code: 0, signal: null, ms: 0 });
    const answer = await onlyAnswer(peer, runs);
    assert.deepEqual(answer?.error?.data, { code: "interrupted" });
    assert.match(answer?.error?.message ?? "", /the turn was interrupted/, "it is the turn's own end");
    await onlyAnswer(peer, waits);
    await assertGone(home);
  });
}

for (const how of ["a client that leaves", "SIGTERM"]) {
  test(`parley acp: ${how} takes back the prompt that waits: it never runs`, async () => {
    await using home = new Home();
    const { peer, session } = await openAcp(home);
    await using _ = peer;
    await slowTurn(peer, session);
    const waits = peer.prompt(session, "later");
    await eventually("it waits", async () => (await storedTypes(home, session)).includes("prompt.queued"));
    if (how === "SIGTERM") peer.child.kill("SIGTERM");
    else peer.child.stdin?.end();
    await peer.exited();
    const { error, result } = (await onlyAnswer(peer, waits)) ?? {};
    if (how === "SIGTERM") assert.deepEqual(result, { stopReason: "cancelled" });
    else assert.deepEqual(error?.data, { code: "interrupted" });
    const types = await storedTypes(home, session);
    assert.deepEqual(
      types.filter((type) => ["prompt.withdrawn", "turn.started"].includes(type)),
      ["turn.started", "prompt.withdrawn"],
    );
  });
}

for (const [place, how] of [
  ["with its own server", "its client leaves"],
  ["beside a server", "its client leaves"],
  ["beside a server", "of SIGTERM"],
] as const) {
  test(`parley acp: ${place}, a session that begins when ${how} is not left`, async () => {
    await using home = new Home();
    if (place === "beside a server") await home.serve();
    await using peer = startAcp(home, { args: ["--agent", "acp:sleep 1000"] });
    await peer.initialize();
    const begins = peer.send("session/new", { cwd: home.work, mcpServers: [] });
    const sessions = async (): Promise<number> =>
      JSON.parse((await home.run(["sessions", "--json"])).stdout || "[]").length;
    await eventually("the session begins", async () => (await sessions()) === 1);
    if (how === "of SIGTERM") peer.child.kill("SIGTERM");
    else peer.child.stdin?.end();
    const { code, ms } = await peer.exited();
    assert.equal(code, 0);
    assertWithin(ms, 4_000, "the exit");
    const { error } = (await onlyAnswer(peer, begins)) ?? {};
    assert.match(error?.message ?? "", how === "of SIGTERM" ? /the session was not begun/ : /ended before the answer$/);
    assert.equal(await sessions(), 0);
    if (place !== "beside a server") await assertGone(home);
  });
}

test("parley acp: a signal beside a server answers the prompt, and its turn goes on there", async () => {
  await using home = new Home();
  await home.serve();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  const prompt = await slowTurn(peer, session);
  peer.child.kill("SIGTERM");
  assert.equal((await peer.exited()).code, 0);
  const { error } = (await onlyAnswer(peer, prompt)) ?? {};
  assert.match(error?.message ?? "", /goes on in the server at http/);
  const events = (await home.run(["events", session, "--json"])).stdout.trim().split("\n");
  assert.deepEqual(
    events.map((line) => JSON.parse(line)).filter(({ type }) => type === "turn.ended"),
    [],
  );
  assert.equal((await home.run(["cancel", session])).code, 0);
});

test("parley acp: a client that closes our stdout is gone", long, async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  await slowTurn(peer, session);
  peer.child.stdout?.destroy();
  assert.equal((await peer.exited()).code, 0);
  await assertGone(home);
});

test("parley acp: a client that is killed takes all pipes with it, and leaves no process", long, async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  await slowTurn(peer, session);
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
  assert.match(peer.stderr, /others use the server in here/);

  const again = await openAcp(home);
  await using second = again.peer;
  const other = home.start(["run", SLOW]);
  const cut = finished(other);
  await said(other.stdout, " ");
  second.child.stdin?.end();
  await second.until("it waits", () => second.stderr.includes("others use the server"));
  second.child.kill("SIGTERM");
  assert.equal((await second.exited()).code, 0);
  await cut;
  await assertGone(home);
});

test("parley acp: its server stays for an interface that is open on it", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  const url = readLock(home.dataDir)?.url;
  const token = readFileSync(join(home.dataDir, "token"), "utf8").trim();
  const watch = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(`${url}/global/event`, { headers, signal: watch.signal });
  assert.equal(events.status, 200);
  await events.body?.getReader().read();
  const exit = peer.leave();
  await peer.until("it waits", () => peer.stderr.includes("others use the server"));
  watch.abort();
  assert.equal((await exit).code, 0);
  await assertGone(home);
});

for (const place of ["with its own server", "beside a server"]) {
  test(`parley acp: after Ctrl-C a client's own cancel comes first, ${place}`, async () => {
    await using home = new Home();
    if (place === "beside a server") await home.serve();
    const { peer, session } = await openAcp(home);
    await using _ = peer;
    const prompt = await slowTurn(peer, session);
    peer.child.kill("SIGINT");
    peer.notify("session/cancel", { sessionId: session });
    assert.equal((await peer.exited()).code, 0);
    assert.deepEqual((await onlyAnswer(peer, prompt))?.result?.stopReason, "cancelled");
    if (place === "with its own server") await assertGone(home);
  });
}

test("parley acp: after Ctrl-C a client of version 2 has its time, too, though its prompt is answered already", async () => {
  await using home = new Home();
  await using peer = startAcp(home);
  await peer.initialize(2);
  const session = await peer.newSession(home.work);
  await peer.answered(await slowTurn(peer, session));
  peer.child.kill("SIGINT");
  peer.notify("session/cancel", { sessionId: session });
  assert.equal((await peer.exited()).code, 0);
  const idle = peer.updates.filter(({ sessionUpdate, state }) => sessionUpdate === "state_update" && state === "idle");
  assert.deepEqual(
    idle.slice(-1).map(({ stopReason }) => stopReason),
    ["cancelled"],
  );
  const events = await storedEvents(home, session);
  assert.deepEqual(
    events.filter(({ type }) => type === "turn.ended").map(({ data }) => data.reason),
    ["cancelled"],
  );
  await assertGone(home);
});

test("parley acp: its server stays for the turn of another client's parley acp", async () => {
  await using home = new Home();
  const { peer } = await openAcp(home);
  await using _ = peer;
  const { peer: second, session } = await openAcp(home);
  await using __ = second;
  const prompt = second.prompt(session, "[[slow 1500]]");
  await second.until("the agent talks", () => second.text !== "");
  const exit = peer.leave();
  assert.equal(await second.stopReason(prompt), "end_turn");
  await second.leave();
  assert.equal((await exit).code, 0);
  assert.match(peer.stderr, /others use the server in here/);
  await assertGone(home);
});

for (const what of ["a turn runs", "it is asked"] as const)
  test(`parley acp: a client that goes while ${what} leaves nothing in the log of its editor`, async () => {
    await using home = new Home();
    const { peer, session } = await openAcp(home);
    await using _ = peer;
    peer.prompt(session, what === "a turn runs" ? SLOW : "[[ask ls]]");
    const isAsked = () => peer.messages.some(({ method }) => method === "session/request_permission");
    await peer.until(what, () => (what === "a turn runs" ? peer.text !== "" : isAsked()));
    assert.equal((await peer.leave()).code, 0);
    assert.equal(peer.stderr, "");
  });
