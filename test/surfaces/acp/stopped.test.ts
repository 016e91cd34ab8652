import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ParleyApiError, type ParleyClient, type SessionHandle } from "../../../src/client/index.ts";
import { silentLogger } from "../../../src/core/logger.ts";
import type { AttachedSession } from "../../../src/surfaces/acp/session/attached.ts";
import type { Front } from "../../../src/surfaces/acp/session/front.ts";
import { prime, replay } from "../../../src/surfaces/acp/session/history.ts";
import { cancelPromptIn } from "../../../src/surfaces/acp/session/operations.ts";
import { Sessions } from "../../../src/surfaces/acp/session/sessions.ts";
import { cancel } from "../../../src/surfaces/acp/session/take-back.ts";
import type { Update } from "../../../src/surfaces/acp/translate/updates.ts";
import { answered, asked, begun, call, ended, LogClient, type Said, said } from "./log-client.ts";
import { told } from "./watcher.ts";

const ROOT = "ses_root";
const CHILD = "ses_child";
const DEEP = "ses_deep";
const REFUSED = "the agent was stopped; the end is stored later";

/** The log of a full disk: a cancel stops the agent of turn t1 and is refused. */
class FullLog extends LogClient {
  isStopped = true;

  override client(): ParleyClient {
    const client = super.client();
    const cancelled = async (): Promise<never> => {
      const problem = { turn: "t1", stopped: this.isStopped };
      const facts = { status: 507, code: "disk_full", detail: REFUSED, problem, retryAfterMs: undefined };
      throw new ParleyApiError(REFUSED, facts);
    };
    const session: ParleyClient["session"] = (one) => Object.assign(client.session(one), { cancel: cancelled });
    return { ...client, session };
  }
}

interface Shown {
  log: FullLog;
  sessions: Sessions;
  told: string[];
  /** Holds the client at updates of a kind. */
  hold: { type?: Update["type"]; until: Promise<void> };
}

function shownOf(update: Update): string {
  if (update.type === "call") return `${update.id} ${update.call.status}`;
  if (update.type === "end") return `end ${update.end.turn} ${update.end.reason}`;
  return update.type === "turn" ? `turn ${update.turn}` : update.type;
}

function show(t: TestContext, wrap = (client: ParleyClient): ParleyClient => client): Shown {
  const log = new FullLog().begin(ROOT);
  const shown: string[] = [];
  const hold: Shown["hold"] = { until: Promise.resolve() };
  const front: Front = {
    update: async (_, update) => {
      if (update.type === hold.type) await hold.until;
      if (!["info", "text", "choice"].includes(update.type)) shown.push(shownOf(update));
    },
    permission: async (_, { id }, signal) => {
      shown.push(`asked ${id}`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    },
  };
  const client = async (): Promise<ParleyClient> => wrap(log.client());
  const sessions = new Sessions({ client, version: "1", logger: silentLogger }, front);
  t.after(() => sessions.close());
  return { log, sessions, told: shown, hold };
}

test("calls of sub-agents are settled before the end, and once", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "bash", "pending"));
  await told();
  await cancel(session);
  assert.deepEqual(seen.slice(-4), ["notice", "bash failed", "task failed", "end t1 cancelled"]);
  const count = seen.length;
  log.say(CHILD, { type: "turn.status", turn: "t2", data: { status: "running" } });
  await told();
  log.say(CHILD, call("t2", "bash", "failed"), ended("t2"));
  log.say(ROOT, call("t1", "task", "failed", { child: CHILD }), ended("t1"));
  await told();
  // The ends of the calls are stored after the end of the turn that they work for.
  log.say(CHILD, call("t2", "bash", "failed", { error: { message: "interrupted" } } as never));
  await told();
  assert.deepEqual(seen.slice(count), []);
  log.say(ROOT, begun("t3"), ended("t3"));
  await told();
  assert.deepEqual(seen.slice(count), ["turn t3", "end t3 end_turn"]);
});

for (const when of ["while its turn is over for the client alone", "after the stored end of its turn"] as const)
  test(`a call of a sub-agent that begins after the stop is not told, read ${when}`, async (t) => {
    const { log, sessions, told: seen } = show(t);
    log.begin(CHILD, ROOT);
    const session = await sessions.attach(ROOT, prime);
    log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
    log.say(CHILD, begun("t2"));
    await told();
    await cancel(session);
    const count = seen.length;
    const began = async () => {
      log.say(CHILD, call("t2", "bash", "pending"));
      await told();
    };
    if (when.startsWith("while")) await began();
    log.say(ROOT, call("t1", "task", "failed", { child: CHILD }), ended("t1"));
    await told();
    if (when.startsWith("after")) await began();
    log.say(CHILD, call("t2", "bash", "failed"), ended("t2"));
    await told();
    assert.deepEqual(seen.slice(count), []);
    // What the sub-agent does for a later turn is told.
    log.say(ROOT, begun("t3"));
    log.say(CHILD, begun("t4"), call("t4", "more", "pending"), call("t4", "more", "completed"));
    await told();
    assert.deepEqual(seen.slice(count), ["turn t3", "more pending", "more completed"]);
  });

test("sub-agents that are heard of after the stop are not told of, nor are theirs", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT).begin(DEEP, CHILD);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  const count = seen.length;
  log.say(ROOT, call("t1", "task", "pending", { child: CHILD }), call("t1", "task", "failed"), ended("t1"));
  await told();
  log.say(CHILD, begun("t2"), call("t2", "deep", "pending", { child: DEEP }));
  await told();
  log.say(DEEP, begun("t3"), call("t3", "bash", "pending"), call("t3", "bash", "failed"), ended("t3"));
  log.say(CHILD, call("t2", "deep", "failed"), ended("t2"));
  await told();
  assert.deepEqual(seen.slice(count), []);
});

test("a turn that goes on, because its agent does not stop, keeps its asks and gets its own end", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.isStopped = false;
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "bash", "pending"), asked("t1", "per_1", "bash"));
  await told();
  await assert.rejects(cancel(session), /stopped; the end is stored later/);
  await told();
  assert.deepEqual(seen.slice(-2), ["notice", "asked bash"]);
  log.say(ROOT, call("t1", "bash", "completed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(-2), ["bash completed", "end t1 end_turn"]);
});

test("a cancel that is given again says nothing again", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  await cancel(session);
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled"]);
});

test("an ask that is stored after the stop is not shown", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, call("t1", "bash", "pending"), asked("t1", "per_1", "bash"));
  await told();
  assert.deepEqual(seen.slice(-1), ["end t1 cancelled"]);
});

test("an ask of a sub-agent's next turn that is read before the stored end is shown behind that, and no older one", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT).begin(DEEP, CHILD);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "deep", "pending", { child: DEEP }));
  log.say(DEEP, begun("t3"));
  await told();
  await cancel(session);
  const count = seen.length;
  log.say(CHILD, call("t2", "deep", "failed"), ended("t2"));
  log.say(CHILD, begun("t5"), call("t5", "bash", "pending"), asked("t5", "per_1", "bash"));
  log.say(DEEP, call("t3", "rm", "pending"), asked("t3", "per_2", "rm"));
  await told();
  assert.deepEqual(seen.slice(count), []);
  log.say(ROOT, call("t1", "task", "failed"), ended("t1"), begun("t4"));
  await told();
  assert.deepEqual(seen.slice(count).sort(), ["asked bash", "turn t4"]);
  log.say(CHILD, answered("t5", "per_1"), call("t5", "bash", "completed"));
  await told();
  assert.deepEqual(seen.slice(-1), ["bash completed"]);
});

test("a sub-agent in the background is told of while the turn of a prompt that was taken back is not", async (t) => {
  const { log, sessions, told: seen } = show(t);
  log.begin(CHILD, ROOT);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"), call("t1", "task", "pending", { child: CHILD }));
  log.say(CHILD, begun("t2"), call("t2", "bash", "pending"));
  await told();
  log.say(ROOT, call("t1", "task", "completed", { child: CHILD, background: true }));
  await told();
  session.endUnbegun("m2");
  const count = seen.length;
  log.say(ROOT, ended("t1"), begun("t3", "m2"), call("t3", "hidden", "pending"));
  await told();
  log.say(CHILD, call("t2", "bash", "completed"), call("t2", "rm", "pending"), asked("t2", "per_1", "rm"));
  await told();
  assert.deepEqual(seen.slice(count), ["end t1 end_turn", "bash completed", "rm pending", "asked rm"]);
});

test("a gap while the turn is open in the log tells it neither again nor over", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, said("t1", "words")).prune(ROOT);
  await told();
  log.say(ROOT, ended("t1"));
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled"]);
});

test("a gap over the stored end tells no second one", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, said("t1", "words"), ended("t1"), begun("t2", "m2")).prune(ROOT);
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});

test("a gap over the stored end tells nothing of a call that began after the stop", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  await cancel(session);
  log.say(ROOT, call("t1", "bash", "pending"));
  await told();
  log.say(ROOT, said("t1", "words"), ended("t1"), begun("t2", "m2")).prune(ROOT);
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});

test("a gap over the beginning of a turn whose prompt was taken back tells nothing of it", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  session.endUnbegun("m2");
  log.say(ROOT, ended("t1"), begun("t2", "m2"), said("t2", "words")).prune(ROOT);
  await told();
  log.say(ROOT, ended("t2"), begun("t3"));
  await told();
  assert.deepEqual(seen, ["turn t1", "end t1 end_turn", "turn t3"]);
});

/** Holds streams back until the promise is fulfilled. */
function heldUntil(gate: Promise<void>) {
  return (client: ParleyClient): ParleyClient => ({
    ...client,
    session: (one) => {
      const session = client.session(one);
      const hear: typeof session.hear = async (query, take) => {
        await gate;
        await session.hear(query, take);
      };
      return Object.assign(Object.create(session), { hear });
    },
  });
}

/** Gives a prompt, whose turn t1 begins in the log at once. */
function prompted(session: AttachedSession, log: FullLog, ...more: Said[]) {
  return session.sender.send(async (id) => {
    log.say(ROOT, begun("t1", id), ...more);
    return { prompt: id, turn: "t1", status: "started", seq: 2 };
  });
}

test("a turn whose beginning was not read yet ends right after it, and its prompt with it", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { log, sessions, told: seen } = show(t, heldUntil(gate.promise));
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log);
  await told();
  await cancel(session);
  assert.deepEqual(seen, ["notice"]);
  gate.resolve();
  assert.equal((await end).reason, "cancelled");
  assert.deepEqual(seen, ["notice", "turn t1", "end t1 cancelled"]);
});

test("so it does when a load tells its beginning", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { log, sessions, told: seen } = show(t, heldUntil(gate.promise));
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log, call("t1", "bash", "pending"));
  await told();
  await cancel(session);
  const loaded = sessions.attach(ROOT, replay);
  await told();
  gate.resolve();
  await loaded;
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "failed"), ended("t1"), begun("t2"));
  await told();
  assert.deepEqual(seen, ["notice", "bash pending", "bash failed", "end t1 cancelled", "turn t2"]);
});

test("a prompt that was taken back gets no turn after a load, either", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  session.endUnbegun("m2");
  await sessions.attach(ROOT, replay);
  const count = seen.length;
  log.say(ROOT, ended("t1"), begun("t2", "m2"), call("t2", "bash", "pending"), ended("t2"), begun("t3"));
  await told();
  assert.deepEqual(seen.slice(count), ["end t1 end_turn", "turn t3"]);
});

test("a prompt's request that is taken back after a load ends its turn once", async (t) => {
  const { log, sessions, told: seen } = show(t);
  const { end, id } = prompted(await sessions.attach(ROOT, prime), log, call("t1", "bash", "pending"));
  await told();
  await sessions.attach(ROOT, replay);
  const count = seen.length;
  await cancelPromptIn(sessions, ROOT, id);
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "completed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(count), ["notice", "bash failed", "end t1 cancelled"]);
});

test("a load while the agent is being stopped ends the turn once, behind what it tells", async (t) => {
  const gate = Promise.withResolvers<void>();
  const slow = (client: ParleyClient): ParleyClient => ({
    ...client,
    session: (one) => {
      const session = client.session(one);
      const cancelled: typeof session.cancel = async (request) => {
        await gate.promise;
        return session.cancel(request);
      };
      return Object.assign(Object.create(session), { cancel: cancelled });
    },
  });
  const { log, sessions, told: seen } = show(t, slow);
  const session = await sessions.attach(ROOT, prime);
  const { end } = prompted(session, log, call("t1", "bash", "pending"));
  await told();
  const cancelled = cancel(session);
  await told();
  const count = seen.length;
  await sessions.attach(ROOT, replay);
  gate.resolve();
  await cancelled;
  assert.equal((await end).reason, "cancelled");
  log.say(ROOT, call("t1", "bash", "failed"), ended("t1"));
  await told();
  assert.deepEqual(seen.slice(count), ["bash pending", "notice", "bash failed", "end t1 cancelled"]);
});

test("the end comes before the next turn, also where the client is slow", async (t) => {
  const { log, sessions, told: seen, hold } = show(t);
  const session = await sessions.attach(ROOT, prime);
  log.say(ROOT, begun("t1", "m1"));
  await told();
  const gate = Promise.withResolvers<void>();
  Object.assign(hold, { type: "info", until: gate.promise });
  const cancelled = cancel(session);
  await told();
  log.say(ROOT, ended("t1"), begun("t2", "m2"));
  await told();
  gate.resolve();
  await cancelled;
  await told();
  assert.deepEqual(seen, ["turn t1", "notice", "end t1 cancelled", "turn t2"]);
});

for (const [how, prepare] of [
  ["resumes", prime],
  ["loads", replay],
] as const) {
  test(`a client that ${how} the session finds the turn over, its calls settled, and hears of it no more`, async (t) => {
    const { log, sessions, told: seen } = show(t);
    const session = await sessions.attach(ROOT, prime);
    log.say(ROOT, begun("t1", "m1"), call("t1", "bash", "pending"));
    await told();
    await cancel(session);
    const count = seen.length;
    const again = await sessions.attach(ROOT, prepare);
    const openTurn = () => again.openTurn?.id;
    assert.equal(openTurn(), undefined);
    const calls = seen.slice(count).filter((one) => one.startsWith("bash"));
    assert.equal(calls.at(-1), how === "loads" ? "bash failed" : undefined);
    const after = seen.length;
    log.say(ROOT, call("t1", "bash", "failed"), ended("t1"), begun("t2"));
    await told();
    assert.deepEqual(seen.slice(after), ["turn t2"]);
    assert.equal(openTurn(), "t2");
  });
}

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
