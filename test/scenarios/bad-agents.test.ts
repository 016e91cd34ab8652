import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure } from "../../src/core/events/values.ts";
import { lawfulEvents } from "../support/laws.ts";
import { agent, startServer } from "../support/server.ts";
import { assertWithin } from "../support/time.ts";

const fields = (error: Failure | undefined): Record<string, unknown> => error?.details ?? {};

test("an agent that exits at once fails the turn, once, with its command and its last words", async (t) => {
  const { api, directory } = await startServer(t, { agents: { hasty: agent("exits-at-once") } });
  const { id } = await api.create({ agent: "hasty" });
  for (let turn = 1; turn <= 2; turn++) {
    const outcome = await api.ask(id, "go");
    assert.equal(outcome.reason, "error");
    assert.equal(outcome.error?.code, "spawn_failed");
    const { argv, exitCode, stderr, directory: where } = fields(outcome.error);
    assert.deepEqual(argv, agent("exits-at-once").command);
    assert.equal(exitCode, 3);
    assert.equal(where, directory);
    assert.deepEqual(
      stderr,
      Array.from({ length: 20 }, (_, at) => `complaint ${at + 6}`),
    );
    for (const word of ["exits-at-once", directory, "exit code 3", "complaint 25"]) {
      assert.ok(outcome.error?.message.includes(word), `the message has ${word}`);
    }
    const events = await lawfulEvents(api, id);
    assert.equal(events.filter((event) => event.type === "error").length, turn);
    assert.equal(events.filter((event) => event.type === "turn.ended").length, turn);
  }
});

test("a program that is not there fails the turn and says what was looked for", async (t) => {
  const { api } = await startServer(t, { agents: { gone: { command: ["/no/such/program", "--fast"] } } });
  const { id } = await api.create({ agent: "gone" });
  const outcome = await api.ask(id, "go");
  assert.equal(outcome.error?.code, "spawn_failed");
  assert.match(outcome.error?.message ?? "", /\/no\/such\/program --fast/);
  await lawfulEvents(api, id);
});

test("an agent that is never ready is waited for only so long", async (t) => {
  const { api } = await startServer(t, { agents: { stuck: { ...agent("never-ready"), readyMs: 400 } } });
  const { id } = await api.create({ agent: "stuck" });
  const outcome = await api.ask(id, "go");
  assert.equal(outcome.reason, "error");
  assert.match(outcome.error?.message ?? "", /ready within 400 ms/);
  assert.equal((await api.session(id)).status, "idle");
  await lawfulEvents(api, id);
});

test("cancelling the turn of an agent that is not ready yet ends both at once", async (t) => {
  const { api } = await startServer(t, { agents: { stuck: agent("never-ready") } });
  const { id } = await api.create({ agent: "stuck" });
  const { turn } = await api.prompt(id, "go");
  const begun = performance.now();
  assert.deepEqual(await api.cancel(id), { cancelled: true, turn });
  assertWithin(performance.now() - begun, 2_500, "the end of an agent that nobody needs to ask");
  assert.equal((await api.session(id)).lastEnd?.reason, "cancelled");
  await lawfulEvents(api, id);
});

const DEAF: [what: string, program: string, works: "plan.updated" | "item.delta"][] = [
  ["never answers", "agents/mute", "plan.updated"],
  ["ignores a cancel", "ignores-cancel", "item.delta"],
];
for (const [what, program, works] of DEAF) {
  test(`an agent that ${what} is ended with its turn after 3 s`, async (t) => {
    const { api } = await startServer(t, { agents: { deaf: agent(program) } });
    const { id } = await api.create({ agent: "deaf" });
    const stream = await api.stream(id);
    const { turn } = await api.prompt(id, "go");
    await stream.first(works);
    const begun = performance.now();
    assert.deepEqual(await api.cancel(id), { cancelled: true, turn });
    const took = performance.now() - begun;
    assert.ok(took > 2_900, `it took ${Math.round(took)} ms`);
    assertWithin(took, 6_500, "the end of the turn");
    assert.equal((await api.session(id)).lastEnd?.reason, "cancelled");
    const next = await api.prompt(id, "again");
    assert.equal(next.status, "started");
    await stream.event((event) => event.turn === next.turn, "the next turn");
    await stream.close();
  });
}

test("words of an agent after its turn's end are not lost, and belong to no ended turn", async (t) => {
  const { api } = await startServer(t, { agents: { chatty: agent("prints-after-end") } });
  const { id } = await api.create({ agent: "chatty" });
  const stream = await api.stream(id);
  assert.equal((await api.ask(id, "go")).text, "before");
  const long = await stream.event((event) => JSON.stringify(event.data).includes("long after"), "its late words");
  const end = stream.events.find((event) => event.type === "turn.ended");
  assert.ok(end && long.seq > end.seq);
  assert.ok(stream.events.every((event) => event.turn !== end.turn || event.seq <= end.seq));
  const late = stream.events.filter((event) => event.seq > end.seq).map((event) => JSON.stringify(event.data));
  assert.ok(late.some((data) => data.includes('" after"')));
  assert.equal(stream.events.filter((event) => event.type === "turn.started" && event.data.by === "user").length, 1);
  const next = await api.ask(id, "and now");
  assert.equal(next.reason, "end_turn");
  await stream.close();
});

test("an agent that dies in its turn ends it as one error, its tool call failed, and the next prompt works", async (t) => {
  const { api } = await startServer(t, { agents: { mortal: agent("dies-mid-turn") } });
  const { id } = await api.create({ agent: "mortal" });
  const outcome = await api.ask(id, "go");
  assert.equal(outcome.reason, "error");
  assert.equal(outcome.error?.code, "agent_exited");
  assert.equal(fields(outcome.error).signal, "SIGKILL");
  const events = await lawfulEvents(api, id);
  const calls = events.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "tool_call" ? [event.data.item.status] : [],
  );
  assert.deepEqual(calls, ["failed"]);

  const other = await api.create();
  for (const how of ["3", "SIGKILL", "SIGSEGV", "0"]) {
    const died = await api.ask(other.id, `[[die ${how}]]`);
    assert.equal(died.reason, "error", how);
    assert.match(died.text, /last words/);
    assert.match((await api.ask(other.id, "hello")).text, /You said: hello/, `after ${how}`);
  }
  await lawfulEvents(api, other.id);
});

test("an agent that leaves after each turn is started again for the next one", async (t) => {
  const { api } = await startServer(t, { agents: { brief: agent("agents/brief") } });
  const { id } = await api.create({ agent: "brief" });
  const stream = await api.stream(id);
  for (let turn = 1; turn <= 3; turn++) {
    assert.equal((await api.ask(id, "go")).text, "my only answer");
    await stream.when((reader) => reader.count("session.ended") === turn, `exit ${turn}`);
  }
  for (let turn = 1; turn <= 5; turn++) {
    const { reason, error } = await api.ask(id, "before it has left");
    assert.ok(reason === "end_turn" || error?.code === "agent_exited", `${reason} ${error?.code}`);
  }
  const events = await lawfulEvents(api, id);
  assert.equal(events.filter((event) => event.type === "turn.ended").length, 8);
  await stream.close();
});

test("an agent that floods its stderr is served like any other", async (t) => {
  const { api, lines } = await startServer(t, { agents: { loud: agent("floods-stderr") } });
  const { id } = await api.create({ agent: "loud" });
  assert.equal((await api.ask(id, "go")).text, "done");
  assert.ok(lines.length <= 20, `${lines.length} lines in the log`);
});
