import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import { createClient } from "../../../src/client/index.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { startServer, temporary } from "../../support/server.ts";

test("options of an agent: listed, chosen at creation, changed by a prompt and in between, refused with the values", async (t) => {
  const { api } = await startServer(t);
  const { options } = await api.expect<{ options: { id: string }[] }>(200, "GET", "/v1/agents/scripted");
  assert.deepEqual(
    options.map(({ id }) => id),
    ["effort"],
  );
  const { id } = await api.create({ options: { effort: "low" } });
  assert.match((await api.ask(id, "[[options]]")).text, /effort is low/);
  assert.match((await api.ask(id, { text: "[[options]]", options: { effort: "high" } })).text, /effort is high/);
  const changed = await api.expect<{ options: object }>(200, "PATCH", `/v1/sessions/${id}`, {
    options: { effort: "medium" },
  });
  assert.deepEqual(changed.options, { effort: "medium" });
  assert.match((await api.ask(id, "[[options]]")).text, /effort is medium/);
  const { detail } = await api.refused("invalid", "PATCH", `/v1/sessions/${id}`, { options: { effort: "huge" } });
  assert.match(detail, /it can be: low, medium, high/);
  await api.refused("invalid", "POST", `/v1/sessions/${id}/prompts`, { text: "hi", options: { colour: "red" } });
  await api.refused("invalid", "POST", "/v1/sessions", { agent: "house", options: { effort: "low" } });
  await api.refused("invalid", "PATCH", `/v1/sessions/${id}`, { options: { effort: 7 } });
  const client = createClient({ url: api.url });
  const made = await client.sessions.create({ options: { effort: "low" } });
  assert.deepEqual((await client.sessions.update(made.id, { options: { effort: "high" } })).options, {
    effort: "high",
  });
  await lawfulEvents(api, id);
});

test("a program says by itself which options and limits there are now", async (t) => {
  const effort = { id: "effort", kind: "select", values: [{ id: "max" }] };
  const limit = { id: "week", status: "warning", used: 83, resets: 1_900_000_000_000 };
  const steps = [
    { signal: { type: "session", offers: [effort], options: { effort: "max" } } },
    { signal: { type: "limits", limits: [limit, { id: "hour", used: 2 }] } },
    { signal: { type: "limits", limits: [{ ...limit, used: 84 }] } },
    { signal: { type: "turn.finished", reason: "end_turn" } },
  ];
  const work = await temporary(t);
  const file = join(work, "script.json");
  await writeFile(file, JSON.stringify(steps));
  const { argv, options: known } = sampleAgent();
  const { api } = await startServer(t, {
    agents: { mine: { command: [...argv, "--script", file], ...(known ? { options: known } : {}) } },
  });
  const { id } = await api.create({ agent: "mine", options: { effort: "low" } });
  await api.ask(id, "go");
  const { options, offers, limits } = await api.session(id);
  assert.deepEqual([options, offers], [{ effort: "max" }, [effort]]);
  assert.deepEqual(limits, [
    { ...limit, used: 84 },
    { id: "hour", used: 2 },
  ]);
  const { detail } = await api.refused("invalid", "PATCH", `/v1/sessions/${id}`, { options: { effort: "low" } });
  assert.match(detail, /it can be: max$/);
  await lawfulEvents(api, id);
});

test("a sub-agent of a sub-agent over the universal API: parent, root, asks of the root, deletion", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const all = await api.stream(null);
  const outcome = api.ask(id, "[[subagent deep ask]]");
  const asked = await all.when(
    ({ events }) => events.find((event) => event.type === "permission.requested"),
    "the ask of the sub-agent below",
  );
  const lower = await api.session(asked.session);
  const upper = await api.session(lower.parent ?? "");
  assert.deepEqual([lower.root, upper.parent, upper.root, asked.parent, asked.root], [id, id, id, upper.id, id]);
  const listed = await api.expect<{ sessions: { id: string }[] }>(200, "GET", `/v1/sessions?parent=${upper.id}`);
  assert.deepEqual(
    listed.sessions.map((one) => one.id),
    [lower.id],
  );
  const [ask] = await api.asks(id);
  await api.expect(200, "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "once" });
  assert.equal((await outcome).reason, "end_turn");
  for (const one of [id, upper.id, lower.id]) await lawfulEvents(api, one);
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  for (const one of [id, upper.id, lower.id]) await api.refused("session_not_found", "GET", `/v1/sessions/${one}`);
  await all.close();
});
