import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { answered, asked, begun, call, ended, LogClient } from "./log-client.ts";
import { told, Watcher } from "./watcher.ts";

const ROOT = "ses_root";

/** A client that has seen a call and its ask. */
async function watched(t: TestContext) {
  const log = new LogClient().begin(ROOT);
  const watcher = new Watcher(log);
  t.after(() => watcher.sessions.close());
  await watcher.open(ROOT, "load");
  log.say(ROOT, begun("t1", "m1"), call("t1", "one", "pending"), asked("t1", "per_1", "one"));
  await told();
  assert.deepEqual(watcher.after(), ["one pending", "asked one"]);
  watcher.told.length = 0;
  return { log, watcher };
}

test("a call and an ask whose ends are no longer kept are over for the client before their turn's end", async (t) => {
  const { log, watcher } = await watched(t);
  log.say(ROOT, answered("t1", "per_1"), call("t1", "one", "completed"), ended("t1")).prune(ROOT);
  await told();
  assert.deepEqual(watcher.told, ["one failed", "taken one", "end t1"]);
});

test("a call that is open behind the gap goes on, and one that ended in it is settled with the turn", async (t) => {
  const { log, watcher } = await watched(t);
  log.say(ROOT, call("t1", "two", "pending"));
  await told();
  log.say(ROOT, call("t1", "two", "completed")).prune(ROOT);
  await told();
  assert.deepEqual([...watcher.shown], ["one"]);
  log.say(ROOT, answered("t1", "per_1"), call("t1", "one", "completed"), ended("t1"));
  await told();
  assert.deepEqual(watcher.told.sort(), ["end t1", "one completed", "taken one", "two failed", "two pending"]);
});

test("an ask that came in the gap is shown, and one that came and went is not", async (t) => {
  const { log, watcher } = await watched(t);
  log.say(ROOT, asked("t1", "per_2"), asked("t1", "per_3"), answered("t1", "per_2")).prune(ROOT);
  await told();
  assert.deepEqual(watcher.told, ["asked per_3"]);
});

test("a prompt whose turn began in the gap is answered with that turn", async (t) => {
  const { log, watcher } = await watched(t);
  const session = await watcher.sessions.get(ROOT);
  const { id, end } = session.sender.send(async () => {});
  log.say(ROOT, answered("t1", "per_1"), call("t1", "one", "completed"), ended("t1"), begun("t2", id)).prune(ROOT);
  await told();
  log.say(ROOT, ended("t2"));
  assert.equal((await end).turn, "t2");
  assert.deepEqual(watcher.told, ["one failed", "taken one", "end t1", "end t2"]);
});
