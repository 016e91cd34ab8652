import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { answered, asked, begun, call, ended, LogClient, said } from "./log-client.ts";
import { RESPONSE, told, Watcher } from "./watcher.ts";

const ROOT = "ses_root";
const CHILD = "ses_child";
const DEEP = "ses_deep";
const HOW = ["load", "resume"] as const;

const family = () => new LogClient().begin(ROOT).begin(CHILD, ROOT);

function watch(t: TestContext, log: LogClient): Watcher {
  const watcher = new Watcher(log);
  t.after(() => watcher.sessions.close());
  return watcher;
}

/** A sub-agent at work in the background, whose root is idle. */
const background = () =>
  family()
    .say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }))
    .say(CHILD, begun("t2"))
    .say(ROOT, call("t1", "task", "completed", { child: CHILD, background: true }), ended("t1"));

for (const how of HOW) {
  test(`${how}: asks and calls of a sub-agent in the background reach the client`, async (t) => {
    const log = background();
    const watcher = watch(t, log);
    await watcher.open(ROOT, how);
    assert.deepEqual(watcher.after(), []);
    log.say(CHILD, call("t2", "bash", "pending"), asked("t2", "per_1", "bash"));
    await told();
    assert.deepEqual(watcher.after(), ["bash pending", "asked bash"]);
    assert.deepEqual(watcher.calls.get("bash")?.meta, { session: CHILD, parentCall: "task" });
    log.say(CHILD, answered("t2", "per_1"), call("t2", "bash", "completed"), ended("t2"));
    await told();
    assert.deepEqual(watcher.after().slice(2).sort(), ["bash completed", "taken bash"]);
  });

  test(`${how}: so do those of a sub-agent's own sub-agent, when the one between is done`, async (t) => {
    const log = background()
      .begin(DEEP, CHILD)
      .say(CHILD, call("t2", "deep", "pending", { child: DEEP }))
      .say(DEEP, begun("t3"))
      .say(CHILD, call("t2", "deep", "completed", { child: DEEP, background: true }), ended("t2"));
    const watcher = watch(t, log);
    await watcher.open(ROOT, how);
    log.say(DEEP, call("t3", "bash", "pending"), asked("t3", "per_1", "bash"));
    await told();
    assert.deepEqual(watcher.after(), ["bash pending", "asked bash"]);
    assert.deepEqual(watcher.calls.get("bash")?.meta, { session: DEEP, parentCall: "deep" });
  });

  test(`${how}: so do those of a sub-agent whose start is no longer kept`, async (t) => {
    const log = background().prune(ROOT);
    const watcher = watch(t, log);
    await watcher.open(ROOT, how);
    log.say(CHILD, call("t2", "bash", "pending"), asked("t2", "per_1", "bash"));
    await told();
    assert.deepEqual(watcher.after(), ["bash pending", "asked bash"]);
  });

  test(`${how}: an ask of a sub-agent that is open is shown with its call`, async (t) => {
    const log = background().say(CHILD, call("t2", "bash", "pending"), asked("t2", "per_1", "bash"));
    const watcher = watch(t, log);
    await watcher.open(ROOT, how);
    assert.deepEqual(watcher.after(), ["asked bash"]);
    log.say(CHILD, answered("t2", "per_1"));
    await told();
    assert.deepEqual([...watcher.shown], []);
  });

  test(`${how}: a sub-agent that gets more to do tells that alone`, async (t) => {
    const log = background().say(CHILD, call("t2", "old", "pending"), call("t2", "old", "completed"), ended("t2"));
    const watcher = watch(t, log);
    await watcher.open(ROOT, how);
    log.say(ROOT, begun("t4", "m2"), call("t4", "more", "pending", { child: CHILD }));
    log.say(CHILD, begun("t5"), call("t5", "new", "pending"), said("t5", "words"));
    await told();
    assert.deepEqual(watcher.after(), ["more pending", "new pending", "more pending"]);
    assert.deepEqual(watcher.calls.get("new")?.meta, { session: CHILD, parentCall: "more" });
  });
}

/** A sub-agent whose call is open, with a past. */
const running = () =>
  family()
    .say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }))
    .say(CHILD, begun("t2"), call("t2", "old", "pending"), asked("t2", "per_old", "old"), answered("t2", "per_old"))
    .say(CHILD, call("t2", "old", "completed"), said("t2", "words"), call("t2", "new", "pending"));

test("a load tells the past of a running sub-agent before the response, and no ask that was answered", async (t) => {
  const log = running();
  const watcher = watch(t, log);
  await watcher.open(ROOT, "load");
  assert.deepEqual(watcher.told, ["task pending", "old completed", "new pending", RESPONSE]);
  assert.deepEqual(watcher.calls.get("task")?.content, [{ type: "text", text: "words" }]);
  log.say(CHILD, call("t2", "new", "completed"), ended("t2"));
  log.say(ROOT, call("t1", "task", "completed", { child: CHILD }), ended("t1"));
  await told();
  assert.deepEqual(watcher.after().sort(), ["end t1", "new completed", "task completed"]);
});

test("a resume tells nothing of the past of a running sub-agent, and what comes of its open calls", async (t) => {
  const log = running();
  const watcher = watch(t, log);
  await watcher.open(ROOT, "resume");
  assert.deepEqual(watcher.told, [RESPONSE]);
  log.say(CHILD, call("t2", "new", "completed"), ended("t2"));
  log.say(ROOT, call("t1", "task", "completed", { child: CHILD }), ended("t1"));
  await told();
  assert.deepEqual(watcher.after().sort(), ["end t1", "new completed", "task completed"]);
});

test("a sub-agent's calls whose end is no longer kept are settled, and its open ask is shown", async (t) => {
  const log = running();
  const watcher = watch(t, log);
  await watcher.open(ROOT, "resume");
  log.say(CHILD, ended("t2"), begun("t3"), call("t3", "third", "pending"), asked("t3", "per_3", "third")).prune(CHILD);
  await told();
  assert.deepEqual(watcher.after(), ["new failed", "asked per_3"]);
});
