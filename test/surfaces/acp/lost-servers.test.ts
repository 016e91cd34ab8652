import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParleyClient, SessionHandle } from "../../../src/client/index.ts";
import { prime } from "../../../src/surfaces/acp/session/history.ts";
import { begun, call } from "./log-client.ts";
import { CHILD, ROOT, show } from "./stopped-stage.ts";
import { told } from "./watcher.ts";

/** A client whose sessions are changed. */
const withSession = (change: (session: SessionHandle) => Partial<SessionHandle>) => (client: ParleyClient) => ({
  ...client,
  session: (id: Parameters<ParleyClient["session"]>[0]): SessionHandle => {
    const session = client.session(id);
    return Object.assign(Object.create(session) as SessionHandle, change(session));
  },
});

test("a turn whose stream was lost has no second end when the server is gone", async (t) => {
  const lost = Promise.withResolvers<never>();
  const wrap = withSession((session) => ({
    hear: (...given) => Promise.race([session.hear(...given), lost.promise]),
  }));
  const { log, sessions, told: seen } = show(t, wrap);
  await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  lost.reject(new Error("refused"));
  await told();
  await sessions.end();
  assert.deepEqual(seen, ["turn t1", "end t1 lost"]);
});

test("the end of a turn on a server that is gone waits for no sub-agent", async (t) => {
  let isGone = false;
  const wrap = withSession((session) => ({
    get: () => (isGone ? new Promise<never>(() => {}) : session.get()),
  }));
  const { log, sessions, told: seen } = show(t, wrap);
  log.begin(CHILD, ROOT);
  await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "bash", "pending"));
  await told();
  isGone = true;
  await sessions.end();
  assert.deepEqual(seen.slice(-3), ["bash failed", "task failed", "end t1 interrupted"]);
});
