import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConnectionState, createClient, type ParleyEvent, type StreamEvent } from "../../src/client/index.ts";
import { checkLaws } from "../../src/core/ledger/laws.ts";
import { quick, startServer } from "./support.ts";

test("a stream goes on over restarts of the server, and turns that a restart cut are said to be", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url, backoff: quick, retries: 1_000 });
  const session = client.session(await client.sessions.create());
  const seen: ParleyEvent[] = [];
  const states: ConnectionState["state"][] = [];
  const reasons: string[] = [];
  let restarts = 0;
  for await (const event of session.events({ onConnection: ({ state }) => states.push(state) })) {
    assert.notEqual(event.type, "gap");
    if (event.type === "gap") continue;
    seen.push(event);
    if (event.seq === 1) await session.prompt("[[slow 60000]]");
    if (event.type === "item.delta" && restarts === reasons.length && restarts < 2) {
      restarts++;
      await server.restart();
    }
    if (event.type !== "turn.ended") continue;
    reasons.push(event.data.reason);
    if (reasons.length === 1) await session.prompt("[[slow 60000]]");
    if (reasons.length === 2) await session.prompt("hello");
    if (reasons.length === 3) break;
  }
  assert.deepEqual(reasons, ["interrupted", "interrupted", "end_turn"]);
  assert.ok(states.filter((state) => state === "lost").length >= 2);
  assert.deepEqual(checkLaws(seen, { final: true }), []);
});

test("a prompt that meets a restart is sent again, and its run ends", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url, backoff: quick, retries: 1_000 });
  const session = client.session(await client.sessions.create());
  await server.stop();
  const run = session.run("hello").outcome();
  await server.restart();
  assert.equal((await run).reason, "end_turn");
  assert.equal((await session.get()).turns, 1);
});

test("a run whose server is restarted ends as its turn did", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url, backoff: quick });
  const session = client.session(await client.sessions.create());
  const run = session.run("[[slow 60000]]");
  let last: StreamEvent["type"] | undefined;
  let restarted = false;
  for await (const event of run) {
    last = event.type;
    if (restarted || event.type !== "item.delta") continue;
    restarted = true;
    await server.restart();
  }
  assert.equal(last, "turn.ended");
  assert.equal((await run.outcome()).reason, "interrupted");
});
