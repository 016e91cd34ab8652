import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { planAppend } from "../../../src/log/plan-append.ts";
import { appendCall } from "../../../src/log/postgres/append-call.ts";
import { readAddress } from "../../../src/postgres/address.ts";
import { type Connection, connect } from "../../../src/postgres/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres } from "../../support/postgres.ts";
import { PATIENCE_MS } from "../../support/time.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { append, create } from "../writers.ts";
import { type Cluster, cluster } from "./place.ts";

const { delta, ended, started, turnStarted, updated } = drafts;

/** A connection of the test's own, with a transaction that stays open. */
async function inTransaction({ server, name }: Cluster): Promise<Connection & AsyncDisposable> {
  const connection = await connect({ address: readAddress(server.url(name)), limitMs: PATIENCE_MS });
  await connection.run("BEGIN", [], PATIENCE_MS);
  return Object.assign(connection, { [Symbol.asyncDispose]: () => connection.end() });
}

/** Resolves when a statement of some node waits for a lock. */
const waiting = ({ sql }: Cluster): Promise<void> =>
  eventually("somebody waits for a lock", async () => {
    const rows = await sql(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length > 0;
  });

describe("holds of several nodes", needsPostgres, () => {
  test("a session of a live node is refused with that node's address, and taken when it is released", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a");
    const details = { node: "a", address: "http://a.test:1" };
    await assert.rejects(b.log.open("ses_a"), { code: "wrong_node", details });
    const hold = await a.log.open("ses_a");
    await hold.release();
    const taken = await b.log.open("ses_a");
    assert.ok(taken.epoch > hold.epoch);
    assert.deepEqual(numbers(await taken.append(1, entries(updated("b")))), [2]);
    await assert.rejects(a.log.open("ses_a"), { code: "wrong_node" });
  });

  test("a session of a dead node is taken, and its holder is fenced", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a");
    await create(a.log, "ses_other");
    await nodes.bury(a.node);
    const taken = await b.log.open("ses_a");
    // One statement for both: the other session is still a's.
    const [fenced, stored] = await Promise.allSettled([
      append(a.log, "ses_a", entries(updated("late"))),
      append(a.log, "ses_other", entries(updated("in time"))),
    ]);
    assert.equal(fenced.status === "rejected" && fenced.reason.code, "fenced");
    assert.equal(stored.status, "fulfilled");
    assert.equal(a.log.stats().fenced, 1);
    assert.deepEqual(numbers(await readWhole(b.log, "ses_a")), [1]);
    assert.deepEqual(numbers(await taken.append(1, entries(updated("next")))), [2]);
  });

  test("a dead node takes and makes no session", async (t) => {
    const nodes = await cluster(t);
    const a = await nodes.node("a");
    await create(a.log, "ses_a");
    await nodes.bury(a.node);
    await assert.rejects(a.log.open("ses_a"), { code: "fenced" });
    await assert.rejects(create(a.log, "ses_b"), { code: "fenced" });
    assert.equal(await a.log.head("ses_b"), undefined);
  });

  test("of two nodes that make one session the first one has it", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const [one, other] = [await a.log.open({ id: "ses_a" }), await b.log.open({ id: "ses_a" })];
    await one.append(0, entries(started()));
    await assert.rejects(other.append(0, entries(started())), { code: "fenced" });
    assert.deepEqual(numbers(await readWhole(b.log, "ses_a")), [1]);
  });

  test("a takeover waits for an append under way, and its head shows it", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a");
    const [owner] = await nodes.sql<{ sid: number; epoch: number }>("SELECT sid, epoch FROM owners");
    await nodes.bury(a.node);
    await using transaction = await inTransaction(nodes);
    const head = await a.log.head("ses_a");
    const right = { session: "ses_a", epoch: owner?.epoch ?? 0, since: 1, create: undefined };
    const target = { session: "ses_a", first: 1, last: 1, state: head?.state };
    const draft = { right, after: 1, entries: entries(updated("under way")) };
    const planned = planAppend(draft, { found: target, fresh: (made) => made, keepNative: false });
    const held = { ...right, sid: owner?.sid, target, state: target.state, stale: false };
    const { sql, values } = appendCall(a.node, "here", [{ held, planned }]);
    const [row] = await transaction.run<{ outcome: string }>(sql, values, PATIENCE_MS);
    assert.equal(row?.outcome, "stored");
    const taking = b.log.open("ses_a");
    await waiting(nodes);
    await transaction.run("COMMIT", [], PATIENCE_MS);
    assert.equal((await taking).head?.last, 2);
    assert.equal((await taking).head?.state.title, "under way");
  });

  test("an append waits for a takeover under way, and is fenced", async (t) => {
    const nodes = await cluster(t);
    const a = await nodes.node("a");
    await create(a.log, "ses_a");
    await using transaction = await inTransaction(nodes);
    await transaction.run("UPDATE owners SET epoch = epoch + 1, node = 77", [], PATIENCE_MS);
    const appended = append(a.log, "ses_a", entries(updated("late")));
    appended.catch(() => undefined);
    await waiting(nodes);
    await transaction.run("COMMIT", [], PATIENCE_MS);
    await assert.rejects(appended, { code: "fenced" });
    assert.deepEqual(numbers(await readWhole(a.log, "ses_a")), [1]);
  });

  test("an append that waits for a lock is refused before its outcome is unknown, and stores nothing", async (t) => {
    const nodes = await cluster(t);
    const a = await nodes.node("a");
    await create(a.log, "ses_a");
    await using transaction = await inTransaction(nodes);
    await transaction.run("SELECT * FROM owners FOR UPDATE", [], PATIENCE_MS);
    const hold = append(a.log, "ses_a", entries(updated("x")));
    await assert.rejects(hold, { code: "unavailable", message: /lock timeout/ });
    await transaction.run("COMMIT", [], PATIENCE_MS);
    assert.deepEqual(numbers(await append(a.log, "ses_a", entries(updated("y")))), [2]);
  });

  test("a database that lost its end gets no hole: the session is dropped and read again", async (t) => {
    const nodes = await cluster(t);
    const reported: unknown[] = [];
    const a = await nodes.node("a", { report: (thrown) => reported.push(thrown) });
    await create(a.log, "ses_a", updated("x"), updated("y"));
    await nodes.sql("DELETE FROM events WHERE seq = 3");
    await assert.rejects(append(a.log, "ses_a", entries(updated("z"))), { code: "fenced" });
    assert.deepEqual(numbers(await readWhole(a.log, "ses_a")), [1, 2]);
    assert.match(String(reported[0]), /lost events of session ses_a/);
    assert.equal((await a.log.open("ses_a")).head?.last, 2);
  });

  test("unsettled sessions belong to the data directory of their last holder", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a", turnStarted("t1"));
    await create(b.log, "ses_b", turnStarted("t1"));
    const ids = async (owner?: string) => (await b.log.unsettled(owner)).map(({ id }) => id);
    assert.deepEqual(await ids("a"), ["ses_a"]);
    assert.deepEqual(await ids(), ["ses_a", "ses_b"]);
    // The next start of the same directory is another node.
    const again = await nodes.node("a");
    assert.deepEqual(await ids("a"), ["ses_a"]);
    await again.log.open("ses_a");
    assert.deepEqual(await ids("a"), ["ses_a"]);
  });

  test("what a removal left behind is swept by any node", async (t) => {
    const nodes = await cluster(t);
    const a = await nodes.node("a");
    await create(a.log, "ses_a", ...Array.from({ length: 1200 }, () => delta("A", "x")), ended("deleted"));
    // As a removal that was cut short.
    await nodes.sql("UPDATE sessions SET state = NULL, directory = NULL, first = 1202, sweep = true");
    await a.log.close();
    await nodes.node("b");
    await eventually("all but the last event is gone", async () => {
      const [row] = await nodes.sql<{ events: number; left: number }>(
        "SELECT (SELECT count(*)::int FROM events) AS events, (SELECT count(*)::int FROM sessions WHERE sweep) AS left",
      );
      return row?.events === 1 && row.left === 0;
    });
  });
});

describe("texts in the database", needsPostgres, () => {
  test("NUL, lone surrogates and quotes come back byte for byte, and are found", async (t) => {
    const nodes = await cluster(t);
    const { log } = await nodes.node("a", { keepNative: true });
    const wild = '\0 \ud800 \udfff " \\ é 😀 \u2028';
    const prompt = `msg_${wild}`;
    const directory = `/${wild}/${"long".repeat(2000)}`;
    const hold = await log.open({ id: "ses_a" });
    const list = [
      { draft: started(directory) },
      { draft: updated(wild), native: `{"line":${wild}}` },
      { draft: turnStarted("t1", prompt) },
      { draft: delta(wild, wild) },
      { draft: drafts.completed(wild, wild) },
    ];
    const records = await hold.append(0, list);
    const read = await log.read("ses_a", { after: 0, limit: 9, native: true });
    assert.deepEqual(read, records);
    assert.equal(read[1]?.native, `{"line":${wild}}`);
    assert.equal((await log.head("ses_a"))?.state.title, wild);
    assert.equal((await log.find("ses_a", `prompt:${prompt}`))?.seq, 3);
    assert.equal(await log.locate(`prompt:${prompt}`), "ses_a");
    assert.equal((await log.list({ directory, limit: 9 })).length, 1);
    await hold.fold(5);
    assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3, 5], "an item with a wild name is folded, too");
    assert.equal(await log.head(`ses_${wild}`), undefined, "a session that cannot be is not found");
    assert.deepEqual(await readWhole(log, `ses_${wild}`), []);
  });

  test("ids sort by their bytes", async (t) => {
    const { log } = await (await cluster(t)).node("a");
    for (const id of ["ses_b", "ses_B", "ses_é", "ses_1"]) await create(log, id);
    assert.deepEqual(
      (await log.list({ limit: 9 })).map(({ id }) => id),
      ["ses_1", "ses_B", "ses_b", "ses_é"],
    );
  });
});
