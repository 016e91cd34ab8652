import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receipt } from "../../../src/core/receipt.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { agent, startServer } from "../../support/server.ts";

const SLOW = "[[slow 60000]]";

test("202 says what the prompt became, and the event it names is in the log", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const first = await api.prompt(id, SLOW);
  assert.equal(first.status, "started");
  const second = await api.prompt(id, { id: "msg_second", text: "hello" });
  assert.deepEqual({ ...second, seq: 0 }, { prompt: "msg_second", status: "queued", position: 1, seq: 0 });
  assert.equal((await api.prompt(id, "third")).position, 2);
  const session = await api.session(id);
  assert.equal(session.status, "busy");
  assert.equal(session.turn?.id, first.turn);
  assert.deepEqual(session.queue.map((prompt) => prompt.id).slice(0, 1), ["msg_second"]);
  const events = await api.events(id);
  const [started, queued] = [first.seq, second.seq].map((seq) => events.find((event) => event.seq === seq));
  assert.equal(started?.type === "turn.started" && started.data.prompt?.id, first.prompt);
  assert.equal(queued?.type === "prompt.queued" && queued.data.prompt.id, second.prompt);
  await api.cancel(id);
  await lawfulEvents(api, id);
});

test("with wait the answer is the outcome: the last words, the reason, the usage", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const plain = await api.ask(id, "hello world");
  assert.equal(plain.reason, "end_turn");
  assert.match(plain.text, /You said: hello world$/);
  assert.equal(plain.usage?.tokens?.input, 2);
  assert.equal(plain.turn, plain.receipt.turn);
  const failed = await api.ask(id, "[[error]]");
  assert.equal(failed.reason, "error");
  assert.equal(failed.error?.code, "scripted");
  const tools = await api.ask(id, {
    parts: [
      { type: "text", text: "[[tools 2]]" },
      { type: "file", path: "a.txt" },
    ],
  });
  assert.equal(tools.text, "I ran 2 tools.");
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter((event) => event.type === "turn.ended").length, 3);
});

test("wait on a queued prompt answers with the outcome of its own turn", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const outcomes = await Promise.all(["one", "two", "three", "four"].map((word) => api.ask(id, `say ${word}`)));
  for (const [at, word] of ["one", "two", "three", "four"].entries()) {
    assert.match(outcomes[at]?.text ?? "", new RegExp(`say ${word}$`));
  }
  assert.equal(new Set(outcomes.map((outcome) => outcome.turn)).size, 4);
  assert.equal(outcomes.filter((outcome) => outcome.receipt.status === "queued").length, 3);
  await lawfulEvents(api, id);
});

test("wait on a prompt that is withdrawn, cancelled or deleted with its session says so", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  const queued = (prompt: string) =>
    stream.event((event) => event.type === "prompt.queued" && event.data.prompt.id === prompt, prompt);
  await api.prompt(id, SLOW);
  const taken = api.ask(id, { id: "msg_taken", text: "a" });
  await queued("msg_taken");
  await api.expect(204, "DELETE", `/v1/sessions/${id}/prompts/msg_taken`);
  assert.equal((await taken).reason, "withdrawn");
  await api.refused("prompt_not_found", "DELETE", `/v1/sessions/${id}/prompts/msg_taken`);
  assert.equal((await api.ask(id, { id: "msg_taken", text: "a" })).reason, "withdrawn", "also for a repeat");

  const cleared = api.ask(id, { id: "msg_cleared", text: "b" });
  await queued("msg_cleared");
  const running = await api.cancel(id);
  assert.equal(running.cancelled, true);
  assert.equal((await cleared).reason, "withdrawn");

  const begun = await api.prompt(id, SLOW);
  const lost = api.ask(id, { id: "msg_lost", text: "c" });
  const stopped = api.ask(id, { id: begun.prompt, text: SLOW });
  await queued("msg_lost");
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  assert.equal((await lost).reason, "withdrawn");
  assert.equal((await stopped).reason, "interrupted");
  await stream.close();
});

test("a repeated prompt gets the first one's receipt, and with wait its outcome, also long after", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const body = { id: "msg_once", text: "only once" };
  const receipt = await api.prompt(id, body);
  assert.deepEqual(await api.prompt(id, body), receipt);
  const outcome = await api.ask(id, body);
  assert.deepEqual(outcome.receipt, receipt);
  await api.ask(id, "something else");
  assert.deepEqual(await api.ask(id, body), outcome);
  for (const other of [{ text: "only twice" }, { delivery: "steer" }, { mode: "plan" }]) {
    const problem = await api.refused("prompt_conflict", "POST", `/v1/sessions/${id}/prompts`, { ...body, ...other });
    assert.equal(problem.prompt, "msg_once");
  }
  assert.deepEqual(await api.prompt(id, { ...body, delivery: "queue" }), receipt, "queue is what goes without saying");
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter((event) => event.type === "turn.started").length, 2);
});

test("an Idempotency-Key makes a repeat a repeat; the body's own id wins over it", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const send = (text: string, key: string, more: object = {}): Promise<Receipt> =>
    api.expect(202, "POST", `/v1/sessions/${id}/prompts`, { text, ...more }, { headers: { "idempotency-key": key } });
  const [first, again, other] = [await send("a", "k1"), await send("a", "k1"), await send("a", "k2")];
  assert.deepEqual(again, first);
  assert.notEqual(other.prompt, first.prompt);
  const path = `/v1/sessions/${id}/prompts`;
  await api.refused("prompt_conflict", "POST", path, { text: "b" }, { headers: { "idempotency-key": "k1" } });
  assert.equal((await send("c", "k1", { id: "msg_own" })).prompt, "msg_own");
  const elsewhere = await api.create();
  const same = await api.expect<Receipt>(
    202,
    "POST",
    `/v1/sessions/${elsewhere.id}/prompts`,
    { text: "b" },
    {
      headers: { "idempotency-key": "k1" },
    },
  );
  assert.equal(same.status, "started", "a key means something within its session only");
  await api.cancel(id);
  await api.cancel(elsewhere.id);
});

test("delivery decides what happens while the session is busy", async (t) => {
  const { api } = await startServer(t, { agents: { deaf: agent("never-answers") } });
  const { id } = await api.create();
  const stream = await api.stream(id);
  await api.prompt(id, "[[ask]]");
  await stream.first("permission.requested");
  await api.refused("busy", "POST", `/v1/sessions/${id}/prompts`, { text: "now", delivery: "reject" });
  const steered = await api.prompt(id, { text: "and be quick", delivery: "steer" });
  assert.equal(steered.status, "steered");
  const waiting = api.ask(id, { id: steered.prompt, text: "and be quick", delivery: "steer" });
  const [ask] = await api.asks(id);
  await api.expect(200, "POST", `/v1/sessions/${id}/asks/${ask?.id}`, { outcome: "once" });
  const outcome = await waiting;
  assert.equal(outcome.turn, steered.turn);
  assert.equal(outcome.reason, "end_turn");
  const events = await lawfulEvents(api, id);
  assert.ok(
    events.some(
      (event) => event.type === "item.completed" && JSON.stringify(event.data).includes("You added: and be quick"),
    ),
  );

  const deaf = await api.create({ agent: "deaf" });
  const answers = await api.stream(deaf.id);
  await api.prompt(deaf.id, "hello");
  await answers.first("turn.started");
  await stream.close();
  await answers.close();
});

test("a client that stops waiting changes nothing for the turn", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const stream = await api.stream(id);
  const leaving = new AbortController();
  const waiting = fetch(`${api.url}/v1/sessions/${id}/prompts?wait=true`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "[[slow 200]]" }),
    signal: leaving.signal,
  }).then((answer) => answer.text());
  await stream.first("item.delta");
  leaving.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  const end = await stream.first("turn.ended");
  assert.equal(end.type === "turn.ended" && end.data.reason, "end_turn");
  await stream.close();
});
