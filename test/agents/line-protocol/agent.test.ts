import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ResumeLost } from "../../../src/agents/contract.ts";
import { createLineProtocolAgent } from "../../../src/agents/line-protocol/agent.ts";
import { sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import { SpawnFailed } from "../../../src/host/contract.ts";
import { fixture, makeHost } from "../../host/support.ts";
import { staysSo } from "../../support/time.ts";
import { openAgent, say, turn } from "./support.ts";

test("opens, answers honestly in words, and leaves when asked", async (t) => {
  const agent = await openAgent(t, {}, { model: "scripted", mode: "build" });
  await agent.session.ready();
  const end = await turn(agent, "hello there");
  assert.equal(agent.text(), "This is Parley's scripted agent: no model is behind it. You said: hello there");
  assert.ok(agent.all("text").length > 10, "streamed word by word");
  assert.equal(agent.all("text.done")[0]?.text, agent.text());
  assert.equal(end.reason, "end_turn");
  const [facts] = agent.all("session");
  assert.match(facts?.nativeId ?? "", /^scripted-[0-9a-f]+$/);
  assert.equal(facts?.model, "scripted");
  assert.equal(facts?.mode, "build");
  await agent.session.close();
  await agent.session.close();
  assert.deepEqual(agent.all("exited"), [{ type: "exited", code: 0, signal: null, stderr: [] }]);
  assert.equal(agent.signals.at(-1)?.type, "exited");
  assert.deepEqual(agent.all("unparsed"), []);
});

test("each signal comes with the line that caused it", async (t) => {
  const agent = await openAgent(t);
  await turn(agent, "hello");
  for (const [at, signal] of agent.signals.entries()) assert.deepEqual(JSON.parse(agent.natives[at] ?? ""), signal);
});

test("resumes a session it may know, and says when it does not", async (t) => {
  const known = await openAgent(t, {}, { resume: "scripted-abc" });
  await known.session.ready();
  const facts = await known.nth("session", 1);
  assert.deepEqual(facts, { type: "session", nativeId: "scripted-abc", resume: "resumed" });

  const lost = await openAgent(t, {}, { resume: "lost-abc" });
  await assert.rejects(lost.session.ready(), (error) => error instanceof ResumeLost && /lost-abc/.test(error.message));
  await lost.nth("exited", 1);
});

test("a choice of model and mode is taken, and told", async (t) => {
  const agent = await openAgent(t);
  await agent.session.set({ model: "other", mode: "plan" });
  assert.deepEqual(await agent.nth("session", 2), { type: "session", model: "other", mode: "plan" });
});

test("a prompt can be given to a running turn", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[slow 500]]"));
  await agent.nth("text", 1);
  await agent.session.steer?.(say("and hurry"));
  await agent.nth("turn.finished", 1);
  assert.match(
    agent
      .all("text.done")
      .map((done) => done.text)
      .join(),
    /You added: and hurry/,
  );
});

test("an agent that cannot steer has no such call", async (t) => {
  const agent = await openAgent(t, { steer: false });
  assert.equal(agent.session.steer, undefined);
});

test("a program that is not there: ready fails, nothing throws, one exit", async (t) => {
  const agent = await openAgent(t, { argv: ["no-such-program-here"] });
  await assert.rejects(
    agent.session.ready(),
    (error) => error instanceof SpawnFailed && /was found/.test(error.message),
  );
  await agent.session.prompt(say("hello"));
  await agent.session.cancel();
  await agent.session.close();
  await agent.session.kill(0);
  assert.deepEqual(agent.all("exited"), [{ type: "exited", code: null, signal: null, stderr: [] }]);
});

test("is discovered without being started", async (t) => {
  const { host } = await makeHost(t);
  const shipped = await createLineProtocolAgent({ ...sampleAgent(), host }).discover();
  assert.equal(shipped.installed, true);
  assert.equal(shipped.detail, process.execPath);
  assert.equal(shipped.credentials, "not_needed");
  assert.deepEqual(
    shipped.models.map((model) => model.id),
    ["scripted"],
  );
  assert.deepEqual(
    shipped.modes.map((mode) => mode.id),
    ["build", "plan"],
  );
  const missing = await createLineProtocolAgent({ name: "x", argv: ["no-such-program-here"], host }).discover();
  assert.equal(missing.installed, false);
  assert.match(missing.detail ?? "", /install it/);
});

test("while paused no signal comes; close still ends it and tells the rest", async (t) => {
  const agent = await openAgent(t);
  await agent.session.prompt(say("[[flood 100000]]"));
  await agent.nth("text", 10);
  agent.session.pause();
  const count = agent.signals.length;
  await agent.session.set({ mode: "plan" });
  await staysSo("no signal comes", () => agent.signals.length === count);
  await agent.session.close();
  assert.equal(agent.all("exited").length, 1);
  assert.equal(agent.signals.at(-1)?.type, "exited");
});

test("a flood arrives whole and in order", async (t) => {
  const agent = await openAgent(t);
  await turn(agent, "[[flood 20000]]");
  const words = agent.all("text").map((signal) => signal.delta);
  assert.equal(words.length, 20_000);
  assert.ok(words.every((word, at) => word === `word ${at + 1} `));
});

test("reads README.md, asks, really adds a line", async (t) => {
  const agent = await openAgent(t);
  const file = join(agent.directory, "README.md");
  await writeFile(file, "# Title\nlast line\n");
  await agent.session.prompt(say("Read README.md and add a line at the end"));
  const ask = await agent.nth("permission", 1);
  assert.equal(ask.action, "edit");
  assert.equal(await readFile(file, "utf8"), "# Title\nlast line\n", "nothing is changed before the answer");
  await agent.session.answer(ask.ask, { kind: "permission", outcome: "once" });
  assert.equal((await agent.nth("turn.finished", 1)).reason, "end_turn");
  assert.equal(await readFile(file, "utf8"), "# Title\nlast line\nAdded by Parley's scripted agent.\n");
  const [read, edit] = agent.all("tool.done");
  assert.equal(read?.output, "# Title\nlast line\n");
  assert.match(edit?.files?.[0]?.diff ?? "", /@@ -2 \+2,2 @@\n last line\n\+Added by/);
});

test("exits before it is ready: the failure says all that is known", async (t) => {
  const argv = fixture("exits-at-once");
  const agent = await openAgent(t, { argv });
  await assert.rejects(agent.session.ready(), (error) => {
    assert.ok(error instanceof SpawnFailed);
    assert.equal(error.exitCode, 3);
    assert.deepEqual(error.argv, argv);
    assert.equal(error.directory, agent.directory);
    assert.deepEqual(
      error.stderr,
      Array.from({ length: 20 }, (_, i) => `complaint ${i + 6}`),
    );
    assert.match(
      error.message,
      /^could not run exits-at-once: .*exited before it was ready\n[\s\S]*exit code 3[\s\S]*complaint 25/,
    );
    return true;
  });
  assert.equal((await agent.nth("exited", 1)).code, 3);
});
