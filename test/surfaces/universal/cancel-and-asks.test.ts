import assert from "node:assert/strict";
import { test } from "node:test";
import { lawfulEvents } from "../../support/laws.ts";
import { startServer } from "../../support/server.ts";

test("cancel answers when the agent is quiet, with the turn it stopped", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  assert.deepEqual(await api.cancel(id), { cancelled: false });
  const stream = await api.stream(id);
  const { turn } = await api.prompt(id, "[[slow 60000]]");
  await stream.first("item.delta");
  await api.prompt(id, "waits");
  assert.deepEqual(await api.cancel(id, {}), { cancelled: true, turn });
  const session = await api.session(id);
  assert.equal(session.status, "idle");
  assert.equal(session.lastEnd?.reason, "cancelled");
  assert.deepEqual(session.queue, []);
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter((event) => event.type === "prompt.withdrawn").length, 1);
  assert.deepEqual(await api.cancel(id), { cancelled: false });
  await stream.close();
});

test("cancel may keep the queue: the next prompt then begins", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  await api.prompt(id, "[[slow 60000]]");
  const kept = api.ask(id, "kept");
  const stream = await api.stream(id);
  await stream.first("prompt.queued");
  await api.cancel(id, { queue: "keep" });
  assert.match((await kept).text, /You said: kept/);
  for (const body of [{ queue: "drop" }, { turn: 1 }, []]) {
    await api.refused("invalid", "POST", `/v1/sessions/${id}/cancel`, body);
  }
  await lawfulEvents(api, id);
  await stream.close();
});

test("a cancel that names a turn stops that one only", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  const { turn } = await api.prompt(id, "[[slow 60000]]");
  await stream.first("item.delta");
  assert.deepEqual(await api.cancel(id, { turn: "trn_another" }), { cancelled: false });
  assert.equal((await api.session(id)).turn?.id, turn);
  assert.deepEqual(await api.cancel(id, { turn }), { cancelled: true, turn });
  await lawfulEvents(api, id);
  await stream.close();
});

test("a permission is listed, answered once, and a second answer learns the first", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  const outcome = api.ask(id, "[[ask rm -rf build]]");
  await stream.first("permission.requested");
  assert.equal((await api.session(id)).status, "requires_action");
  const [ask, ...more] = await api.asks(id);
  assert.deepEqual(more, []);
  assert.deepEqual(await api.asks(), [ask]);
  assert.equal(ask?.kind, "permission");
  assert.equal(ask?.session, id);
  const { title, agent, directory } = await api.session(id);
  assert.deepEqual(ask?.about, { title, agent, directory });
  assert.deepEqual(ask?.kind === "permission" && ask.request.patterns, ["rm -rf build"]);

  const path = `/v1/sessions/${id}/asks/${ask?.id}`;
  const wrong: object[] = [
    { outcome: "yes" },
    {},
    { outcome: "answered", answers: [["x"]] },
    { outcome: "once", by: "me" },
  ];
  for (const body of wrong) await api.refused("invalid", "POST", path, body);
  const headers = { "x-parley-client": "the test" };
  const answer = { outcome: "reject", feedback: "not today" };
  assert.deepEqual(await api.expect(200, "POST", path, answer, { headers }), { ask: ask?.id, outcome: "reject" });
  const late = await api.refused("already_answered", "POST", path, { outcome: "once" });
  assert.deepEqual(late.resolution, {
    ask: ask?.id,
    outcome: "reject",
    by: "the test",
    feedback: "not today",
    action: "bash",
    patterns: ["rm -rf build"],
  });
  assert.match((await outcome).text, /not today/);
  assert.equal(
    (await api.refused("already_answered", "POST", path, { outcome: "once" })).status,
    409,
    "also after the turn",
  );
  assert.deepEqual(await api.asks(id), []);
  await lawfulEvents(api, id);
  await stream.close();
});

test("of many answers at once one wins, and all others learn which", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[ask]]");
  const asked = await stream.first("permission.requested");
  const ask = asked.type === "permission.requested" ? asked.data.ask : "";
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      api.call<{ resolution?: { by: string } }>(
        "POST",
        `/v1/sessions/${id}/asks/${ask}`,
        { outcome: at % 2 === 0 ? "once" : "reject" },
        { headers: { "x-parley-client": `client ${at}` } },
      ),
    ),
  );
  const winner = answers.findIndex((answer) => answer.status === 200);
  assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
  for (const { status, body } of answers.filter((_, at) => at !== winner)) {
    assert.equal(status, 409);
    assert.equal(body.resolution?.by, `client ${winner}`);
  }
  await stream.first("turn.ended");
  assert.equal(stream.count("permission.resolved"), 1);
  await lawfulEvents(api, id);
  await stream.close();
});

test("a question takes one list of answers for each question", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  const outcome = api.ask(id, "[[question]]");
  const asked = await stream.first("question.requested");
  const path = `/v1/sessions/${id}/asks/${asked.type === "question.requested" ? asked.data.ask : ""}`;
  const wrong: object[] = [
    { outcome: "once" },
    { outcome: "answered" },
    { outcome: "answered", answers: ["red"] },
    { outcome: "answered", answers: [["red"], ["green"]] },
  ];
  for (const body of wrong) await api.refused("invalid", "POST", path, body);
  await api.expect(200, "POST", path, { outcome: "answered", answers: [["blue"]] });
  assert.equal((await outcome).text, "You chose: blue.");
  const won = await api.refused("already_answered", "POST", path, { outcome: "rejected" });
  assert.deepEqual((won.resolution as { answers: unknown }).answers, [["blue"]]);
  await lawfulEvents(api, id);
  await stream.close();
});

test("a sub-agent's ask shows on its root and on itself, and is answered by either", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const all = await api.stream(null);
  for (const through of ["root", "child"] as const) {
    const before = all.count("permission.requested");
    const outcome = api.ask(id, "[[subagent ask]]");
    const asked = await all.when(
      ({ events }) => events.filter((event) => event.type === "permission.requested")[before],
      "the sub-agent's ask",
    );
    const [ask] = await api.asks(id);
    assert.equal(ask?.session, asked.session);
    assert.notEqual(ask?.session, id);
    assert.equal(ask?.about.root, id, "the session that a person knows");
    assert.deepEqual(await api.asks(asked.session), [ask]);
    const path = `/v1/sessions/${through === "root" ? id : asked.session}/asks/${ask?.id}`;
    await api.expect(200, "POST", path, { outcome: "once" });
    assert.equal((await outcome).reason, "end_turn");
    await lawfulEvents(api, asked.session);
  }
  const child = all.events.find((event) => event.parent)?.session ?? "";
  const problem = await api.refused("busy", "POST", `/v1/sessions/${child}/prompts`, { text: "hi" });
  assert.match(problem.detail, /send them to the session it belongs to/);
  const renamed = await api.expect<{ title: string }>(200, "PATCH", `/v1/sessions/${child}`, { title: "Helper" });
  assert.equal(renamed.title, "Helper");
  await lawfulEvents(api, id);
  await all.close();
});

test("cancelling a turn that waits for an answer resolves the ask as cancelled", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[ask]]");
  await stream.first("permission.requested");
  const [ask] = await api.asks(id);
  await api.cancel(id);
  const late = await api.refused("already_answered", "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "once" });
  assert.equal((late.resolution as { outcome: string }).outcome, "cancelled");
  assert.deepEqual(await api.asks(), []);
  await lawfulEvents(api, id);
  await stream.close();
});
