import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { lawfulEvents } from "../support/laws.ts";
import { needsPostgres } from "../support/postgres.ts";
import type { TestServer } from "../support/server.ts";
import { stage } from "./stage.ts";

const options = { ...needsPostgres, timeout: 120_000 };

test("a session of one node is prompted, watched and read through another", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a"), await node("b")];
  const { id } = await a.api.create();
  await a.api.ask(id, "first");
  const stream = await b.api.stream(id);
  const all = await b.api.stream(null);
  const outcome = await b.api.ask(id, "second");
  assert.match(outcome.text, /You said: second/);
  assert.equal(a.parley.gateway.tenure.holds(id), true, "the session stays where its agent runs");
  assert.equal(b.parley.gateway.tenure.holds(id), false);
  await stream.first("turn.ended");
  await all.first("turn.ended");
  await lawfulEvents(b.api, id);
  const folded = async () => (await a.api.events(id)).every(({ type }) => type !== "item.delta");
  await eventually("the turns are folded", folded);
  assert.deepEqual(await b.api.events(id), await a.api.events(id));
  assert.deepEqual((await b.api.session(id)).lastEnd, (await a.api.session(id)).lastEnd);
  await stream.close();
  await all.close();
});

test("asks, answers and cancels work through any node", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a"), await node("b")];
  const { id } = await a.api.create();
  const stream = await b.api.stream(id);
  const outcome = a.api.ask(id, "[[ask rm -rf build]]");
  await stream.first("permission.requested");
  const [ask] = await b.api.asks(id);
  assert.deepEqual(
    (await b.api.asks()).map((one) => one.id),
    [ask?.id],
  );
  await b.api.expect(200, "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "once" });
  await outcome;
  await a.api.refused("already_answered", "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "reject" });
  await b.api.refused("already_answered", "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "reject" });
  const { turn } = await b.api.prompt(id, "[[slow 60000]]");
  assert.deepEqual(await b.api.cancel(id), { cancelled: true, turn });
  await stream.close();
});

test("the same prompt through two nodes is one turn", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a"), await node("b")];
  const { id } = await a.api.create();
  const prompt = { id: "msg_same", text: "once" };
  const receipts = await Promise.all([a, b, a, b].map(({ api }) => api.prompt(id, prompt)));
  assert.equal(new Set(receipts.map(({ turn }) => turn)).size, 1);
  await eventually("the turn has ended", async () => (await a.api.session(id)).status === "idle");
  assert.equal((await a.api.events(id)).filter(({ type }) => type === "turn.started").length, 1);
});

test("an ask is not refused while a client watches on another node, and is when it leaves", options, async (t) => {
  const { node } = await stage(t);
  const [a, b] = [await node("a", { unattended: "deny" }), await node("b", { unattended: "deny" })];
  const { id } = await a.api.create();
  const stream = await b.api.stream(id);
  await a.api.prompt(id, "[[ask rm -rf build]]");
  await stream.first("permission.requested");
  // The answer of the policy would come with the next events.
  assert.equal((await a.api.asks(id)).length, 1);
  const [ask] = await b.api.asks(id);
  await b.api.expect(200, "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "once" });
  await eventually("the turn has ended", async () => (await a.api.session(id)).status === "idle");
  await a.api.prompt(id, "[[ask rm -rf build]]");
  await eventually("the ask is open", async () => (await a.api.asks(id)).length === 1);
  await stream.close();
  const answers = async () =>
    (await a.api.events(id)).flatMap((event) => (event.type === "permission.resolved" ? [event.data.by] : []));
  await eventually("the policy answers when nobody watches", async () => (await answers()).length === 2);
  assert.deepEqual(await answers(), ["client", "policy"]);
});

test(
  "a session whose agent is gone goes to the node that is asked, with times and ids that never step back",
  options,
  async (t) => {
    const { node } = await stage(t);
    const [a, b] = [await node("a"), await node("b")];
    const { id } = await a.api.create();
    await a.api.ask(id, "first");
    await a.stop();
    await b.api.ask(id, "second");
    assert.equal(b.parley.gateway.tenure.holds(id), true);
    const events = await lawfulEvents(b.api, id);
    const times = events.map(({ time }) => time);
    assert.deepEqual(
      times,
      times.toSorted((x, y) => x - y),
    );
  },
);

test("a node that is declared dead drops its sessions, and another closes their turns", options, async (t) => {
  const { node, sql } = await stage(t);
  const [a, b] = [await node("a", { leaseMs: 1_000 }), await node("b", { leaseMs: 1_000 })];
  const { id } = await a.api.create();
  const stream = await b.api.stream(id);
  await a.api.prompt(id, "[[slow 60000]]");
  await stream.first("item.delta");
  await sql("UPDATE nodes SET dead = true WHERE name = 'a'");
  const { data } = await stream.first("turn.ended");
  assert.equal((data as { reason?: string }).reason, "interrupted");
  await eventually("node a has no agent left", () => !a.parley.gateway.tenure.holds(id));
  // It goes on as a new node. Until it is registered it answers 503.
  const living = (): Promise<unknown[]> => sql("SELECT 1 FROM nodes WHERE name = 'a' AND NOT dead");
  await eventually("node a is registered again", async () => (await living()).length > 0);
  await a.api.ask(id, "again");
  await lawfulEvents(b.api, id);
  assert.deepEqual(
    (await a.api.expect<{ nodes: { name: string }[] }>(200, "GET", "/v1/nodes")).nodes.map(({ name }) => name).sort(),
    ["a", "b"],
  );
  await stream.close();
});

test("a drained node gives its sessions to the others and takes no new ones", options, async (t) => {
  const { node, sql } = await stage(t);
  const drained = Promise.withResolvers<void>();
  const a = await node("a", { onDrained: drained.resolve });
  const b = await node("b");
  const { id } = await a.api.create();
  const stream = await b.api.stream(id);
  const busy = a.api.ask(id, "[[slow 300]]");
  await stream.first("turn.started");
  await b.api.expect(202, "POST", "/v1/nodes/a/drain");
  await busy;
  await drained.promise;
  const held = () => sql<{ sid: string }>("SELECT sid FROM owners WHERE NOT released");
  await eventually("the session is given back", async () => (await held()).length === 0);
  const made = await a.api.create();
  assert.equal(a.parley.gateway.tenure.holds(made.id), false);
  await a.api.ask(id, "next");
  assert.equal(b.parley.gateway.tenure.holds(id), true);
  await b.api.refused("not_found", "POST", "/v1/nodes/c/drain");
  await stream.close();
});

test("a link to the console that one node made lets a browser in at another, once", options, async (t) => {
  const { node } = await stage(t);
  const token = "the-token-of-all-nodes-0123";
  const [a, b] = [await node("a", { token }), await node("b", { token })];
  const headers = { authorization: `Bearer ${token}` };
  const { url } = await a.api.expect<{ url: string }>(201, "POST", "/v1/console-links", undefined, { headers });
  const [, code = ""] = url.split("#enter=");
  const enter = (at: TestServer, shown: string): Promise<Response> =>
    fetch(`${at.parley.url}/console/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: shown }),
    });
  const entered = await enter(b, code);
  assert.equal(entered.status, 204);
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  for (const at of [a, b])
    assert.equal((await fetch(`${at.parley.url}/v1/agents`, { headers: { cookie } })).status, 200);
  for (const at of [a, b]) assert.match(await (await enter(at, code)).text(), /was used already/);
  for (const wrong of [`${code}x`, code.replace(/^\d+/, "999999"), code.replace(/^\d+-/, ""), "-", "1-"])
    assert.match(await (await enter(b, wrong)).text(), /is not one of this server's/);
  const asked = await fetch(`${a.parley.url}/cluster/code`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  assert.equal(asked.status, 404, "no client may ask as a node does");
});
