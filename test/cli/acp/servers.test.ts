import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { readTokenFile } from "../../../src/cli/serve/server-token.ts";
import { createClient, type ParleyClient } from "../../../src/client/index.ts";
import { readLock } from "../../../src/host/data-lock.ts";
import { tokenPath } from "../../../src/server/guards/token.ts";
import { long } from "../../support/time.ts";
import { Home } from "../support.ts";
import { openAcp, startAcp } from "./support.ts";

const SLOW = "[[slow 600000]]";

/** A client of the universal API on the server that runs now. */
function clientOf(home: Home): ParleyClient {
  const url = readLock(home.dataDir)?.url;
  assert.ok(url, "a server runs");
  return createClient({ url, token: readTokenFile(tokenPath(home.dataDir)) });
}

async function turnEnds(home: Home, session: string): Promise<string[]> {
  const ends: string[] = [];
  for await (const event of clientOf(home).session(session).events({ follow: false })) {
    if (event.type === "turn.ended") ends.push(event.data.reason);
  }
  return ends;
}

test("parley acp: the server in it is found by other commands and by the universal API", async () => {
  await using home = new Home();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  const listed = JSON.parse((await home.run(["sessions", "--json"])).stdout) as { id: string }[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    [session],
  );
  assert.equal((await clientOf(home).sessions.get(session)).directory, home.work);
  assert.deepEqual(await turnEnds(home, session), ["end_turn"]);
  const run = await home.run(["run", "--session", session, "once more"]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(readLock(home.dataDir)?.pid, peer.pid);
});

test("parley acp: beside a server it is a client of that server, which stays", async () => {
  await using home = new Home();
  const { child } = await home.serve();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  const prompt = peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  assert.equal(readLock(home.dataDir)?.pid, child.pid);
  assert.equal((await home.run(["cancel", session])).code, 0, "another client stops the same turn");
  assert.equal(await peer.stopReason(prompt), "cancelled");
  assert.equal((await peer.leave()).code, 0);
  assert.equal(readLock(home.dataDir)?.pid, child.pid, "the server is still there");
});

test("parley acp: a server that is killed in mid-turn: the prompt is answered once, and the next one runs in a server of its own", async () => {
  await using home = new Home();
  const { child } = await home.serve();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  const prompt = peer.prompt(session, SLOW);
  await peer.until("the agent talks", () => peer.text !== "");
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  await peer.answered(prompt);
  assert.equal(readLock(home.dataDir)?.pid, peer.pid);
  assert.deepEqual(await turnEnds(home, session), ["interrupted"]);
  assert.equal(await peer.stopReason(peer.prompt(session, "hello again")), "end_turn");
  assert.equal(peer.answersTo(prompt).length, 1);
  assert.deepEqual(await turnEnds(home, session), ["interrupted", "end_turn"]);
});

test("parley acp: a server that is started anew is used again, and no other is in its way", long, async () => {
  await using home = new Home();
  const first = await home.serve();
  const { peer, session } = await openAcp(home);
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
  const exited = once(first.child, "exit");
  first.child.kill("SIGTERM");
  await exited;
  const second = await home.serve();
  assert.equal(await peer.stopReason(peer.prompt(session, "hello again")), "end_turn");
  assert.equal(readLock(home.dataDir)?.pid, second.child.pid);
});

test("parley acp: a second one is a client of the first, and goes on by itself when the first leaves", async () => {
  await using home = new Home();
  const { peer: first, session: one } = await openAcp(home);
  await using _first = first;
  const { peer: second, session: two } = await openAcp(home);
  await using _second = second;
  assert.equal(await first.stopReason(first.prompt(one, "hello")), "end_turn");
  assert.equal(await second.stopReason(second.prompt(two, "hello")), "end_turn");
  assert.equal(readLock(home.dataDir)?.pid, first.pid);
  assert.equal((await first.leave()).code, 0);
  assert.equal(await second.stopReason(second.prompt(two, "hello again")), "end_turn");
  assert.equal(readLock(home.dataDir)?.pid, second.pid);
  const sessions = await clientOf(home).sessions.list();
  assert.deepEqual(new Set(sessions.sessions.map(({ id }) => id)), new Set([one, two]));
});

test("parley acp: two that lose their server at the same moment agree on one of them", long, async () => {
  await using home = new Home();
  const { child } = await home.serve();
  const opened = await Promise.all([openAcp(home), openAcp(home)]);
  await using _one = opened[0].peer;
  await using _two = opened[1].peer;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  const prompts = opened.map(({ peer, session }) => peer.stopReason(peer.prompt(session, "hello")));
  assert.deepEqual(await Promise.all(prompts), ["end_turn", "end_turn"]);
  const owner = readLock(home.dataDir)?.pid;
  assert.ok(opened.some(({ peer }) => peer.pid === owner));
});

test("parley acp: a server with another token refuses, and stderr says what to give", async () => {
  await using home = new Home();
  await home.serve([], { env: { PARLEY_TOKEN: "a-token-that-was-given-1" } });
  home.write("data/parley/token", "another-token-of-some-length");
  await using stranger = startAcp(home);
  await stranger.initialize();
  await assert.rejects(stranger.newSession(home.work), /token/);
  assert.match(stranger.stderr, /give that as PARLEY_TOKEN/);
  const { peer, session } = await openAcp(home, { env: { PARLEY_TOKEN: "a-token-that-was-given-1" } });
  await using _ = peer;
  assert.equal(await peer.stopReason(peer.prompt(session, "hello")), "end_turn");
});
