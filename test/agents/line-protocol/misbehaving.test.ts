import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SpawnFailed } from "../../../src/host/contract.ts";
import { onLinux } from "../../../src/host/process-identity.ts";
import { alive, fixture, identify } from "../../host/support.ts";
import { eventually } from "../../support/eventually.ts";
import { assertWithin, staysSo } from "../../support/time.ts";
import { openAgent, say, turn } from "./support.ts";

test("10,000 lines of noise: all good ones delivered, at most 20 reports, nothing written back", async (t) => {
  const agent = await openAgent(t, { argv: fixture("noise") });
  await agent.session.ready();
  assert.equal((await turn(agent, "go")).reason, "end_turn");
  assert.equal(agent.text(), Array.from({ length: 100 }, (_, i) => `${i} `).join(""), "and no word of something heard");
  await agent.session.close();
  const reports = agent.all("unparsed");
  assert.ok(reports.length <= 20, `${reports.length} reports`);
  assert.equal(
    reports.reduce((sum, report) => sum + report.count, 0),
    10_001,
  );
  assert.equal(reports[0]?.sample, "starting up...");
  const last = agent.signals.findLastIndex((signal) => signal.type === "unparsed");
  const end = agent.signals.findIndex((signal) => signal.type === "turn.finished");
  assert.ok(last < end, "a turn's noise is told before its end");
});

test("bytes that are no UTF-8 spoil their own line at most", async (t) => {
  const agent = await openAgent(t, { argv: fixture("bad-utf8") });
  await turn(agent, "go");
  assert.equal(agent.text(), "a\ufffd\ufffdb whole: äöü €");
  assert.equal(agent.all("unparsed").length, 2);
});

test("100,000 lines on stderr cost no more than a ring of 20", async (t) => {
  const agent = await openAgent(t, { argv: fixture("floods-stderr") });
  await turn(agent, "go");
  await agent.session.close();
  const [exit] = agent.all("exited");
  assert.deepEqual(exit?.stderr, Array(20).fill("complaint 100"));
});

test("never ready: told after the time that was given, and ended", async (t) => {
  const agent = await openAgent(t, { argv: fixture("never-ready"), readyMs: 300 });
  await assert.rejects(
    agent.session.ready(),
    (error) => error instanceof SpawnFailed && /within 300 ms/.test(error.message),
  );
  await agent.nth("exited", 1);
});

test("a pause does not count as time in which the program is not ready", async (t) => {
  const readyMs = 1_000;
  const program = `
    process.stdin.once("data", () => process.stdout.write('{"type":"ready"}\\n', () => fs.writeFileSync("said", "")));
    process.stdin.on("end", () => process.exit());
  `;
  const agent = await openAgent(t, { argv: [process.execPath, "-e", program], readyMs });
  agent.session.pause();
  await eventually("the program to say that it is ready", () => existsSync(join(agent.directory, "said")));
  let failed = false;
  agent.session.ready().catch(() => {
    failed = true;
  });
  await staysSo("a paused program is waited for", () => !failed, readyMs + 100);
  agent.session.resume();
  await agent.session.ready();
  await agent.session.close();
});

test("slow to be ready is not too late", async (t) => {
  const agent = await openAgent(t, { argv: fixture("slow-ready", "200"), readyMs: 20_000 });
  await agent.session.ready();
  assert.equal((await turn(agent, "go")).reason, "end_turn");
});

test("signals after the end, and before a result, are passed on as they came", async (t) => {
  const talker = await openAgent(t, { argv: fixture("prints-after-end") });
  await talker.session.prompt(say("go"));
  await talker.nth("text", 3);
  assert.deepEqual(
    talker.signals.map((signal) => signal.type),
    ["text", "turn.finished", "text", "turn.finished", "text"],
  );
  const hasty = await openAgent(t, { argv: fixture("result-before-tool-result") });
  await hasty.session.prompt(say("go"));
  await hasty.nth("tool.done", 1);
  assert.deepEqual(
    hasty.signals.map((signal) => signal.type),
    ["tool.running", "turn.finished", "tool.done"],
  );
});

test("dies in the middle of a turn: one exit, after all it said, and every call is harmless", async (t) => {
  const agent = await openAgent(t, { argv: fixture("dies-mid-turn") });
  await agent.session.prompt(say("go"));
  const exit = await agent.nth("exited", 1);
  assert.equal(exit.signal, "SIGKILL");
  assert.deepEqual(
    agent.signals.map((signal) => signal.type),
    ["text", "tool.running", "exited"],
  );
  await agent.session.prompt(say("again"));
  await agent.session.cancel();
  await agent.session.set({ mode: "plan" });
  await agent.session.answer("a", { kind: "permission", outcome: "once" });
  agent.session.pause();
  agent.session.resume();
  await agent.session.kill(0);
  await agent.session.close();
  assert.equal(agent.all("exited").length, 1);
});

test("dies right after its turn", async (t) => {
  const agent = await openAgent(t, { argv: fixture("dies-after-finish") });
  await turn(agent, "go");
  const exit = await agent.nth("exited", 1);
  assert.equal(exit.code, 1);
  assert.equal(agent.signals.at(-1), exit);
});

test("ignores a cancel, and hears it; kill ends it", async (t) => {
  const agent = await openAgent(t, { argv: fixture("ignores-cancel") });
  await agent.session.prompt(say("go"));
  await agent.nth("text", 1);
  await agent.session.cancel();
  await agent.nth("text", 5);
  assert.match(agent.text(), /I heard that/);
  assert.equal(agent.all("turn.finished").length, 0);
  await agent.session.kill(500);
  assert.equal(agent.all("exited").length, 1);
});

for (const how of ["close", "kill"] as const) {
  test(`${how} leaves no survivor of a double fork that ignores TERM`, {
    skip: !onLinux && "needs /proc",
  }, async (t) => {
    const agent = await openAgent(t, { argv: fixture("double-fork", "tree") });
    await agent.session.prompt(say("go"));
    const { delta } = await agent.nth("text", 1);
    const family = delta.split(" ").map((pid) => identify(Number(pid)));
    assert.equal(family.length, 3);
    const begun = performance.now();
    if (how === "close") await agent.session.close();
    else await agent.session.kill(200);
    assert.deepEqual(family.filter(alive), []);
    assertWithin(performance.now() - begun, 5000, "no survivor");
    assert.equal(agent.all("exited").length, 1);
  });
}

test("close waits for nobody who leaves by itself", async (t) => {
  const agent = await openAgent(t, { argv: fixture("never-answers") });
  await agent.session.ready();
  const begun = performance.now();
  await agent.session.close();
  assertWithin(performance.now() - begun, 1500, "the program has left");
  assert.deepEqual(agent.all("exited"), [{ type: "exited", code: 0, signal: null, stderr: [] }]);
});

test("a stray that holds stdout does not hold up the exit", { skip: !onLinux && "needs /proc" }, async (t) => {
  const agent = await openAgent(t, { argv: fixture("forks-and-holds-stdout") });
  await turn(agent, "go");
  const stray = identify(Number(agent.text()));
  await agent.nth("exited", 1);
  assert.equal(alive(stray), true);
  await agent.session.close();
  assert.equal(alive(stray), false);
});
