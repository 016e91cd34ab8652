import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { isParleyError } from "../../../src/core/errors.ts";
import type { Entry, EventRecord, Hold } from "../../../src/log/contract.ts";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres, PostgresServer } from "../../support/postgres.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { says, TcpProxy } from "../../support/tcp-proxy.ts";
import { drafts, entries, numbers, parsed, readWhole } from "../drafts.ts";
import { create } from "../writers.ts";
import { addNode, type Cluster, cluster, type NodeLog, openNode } from "./place.ts";

const { completed, delta, started, updated } = drafts;

interface Distant {
  nodes: Cluster;
  proxy: TcpProxy;
  /** A node whose connections lead through the proxy. */
  far: NodeLog;
}

async function distant(t: TestContext): Promise<Distant> {
  const nodes = await cluster(t);
  const proxy = await TcpProxy.start(nodes.server.port);
  t.after(() => proxy.close());
  const far = await nodes.node("far", { url: nodes.server.url(nodes.name, { port: proxy.port }) });
  return { nodes, proxy, far };
}

/** Makes the same call until it is stored, as the session's store does. */
async function storePatiently(hold: Hold, after: number, list: Entry[]): Promise<EventRecord[]> {
  let records: EventRecord[] | undefined;
  await eventually("the append is stored", async () => {
    records = await hold.append(after, list).catch((error: unknown) => {
      if (isParleyError(error) && ["unavailable", "outcome_unknown"].includes(error.code)) return undefined;
      throw error;
    });
    return records !== undefined;
  });
  return records ?? [];
}

const inAppend = says("append_");

describe("lost answers", needsPostgres, () => {
  test("an append whose answer is lost is repeated with the same numbers, stored once, and told", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const near = await nodes.node("near");
    const hold = await far.log.open({ id: "ses_a" });
    const heard: number[] = [];
    const heardNear: number[] = [];
    far.log.listen("ses_a", (records) => heard.push(...numbers(records)));
    near.log.listen("ses_a", (records) => heardNear.push(...numbers(records)));
    proxy.loseAnswer(inAppend);
    const first = entries(started(), updated("x"));
    await assert.rejects(hold.append(0, first), { code: "outcome_unknown" });
    assert.equal(proxy.lost, 1);
    assert.deepEqual(numbers(await storePatiently(hold, 0, first)), [1, 2], "the creation");
    proxy.loseAnswer(inAppend);
    const second = entries(updated("y"), updated("z"));
    await assert.rejects(hold.append(2, second), { code: "outcome_unknown" });
    assert.deepEqual(numbers(await storePatiently(hold, 2, second)), [3, 4]);
    assert.deepEqual(numbers(await hold.append(4, entries(updated("on")))), [5], "and it goes on");
    assert.deepEqual(numbers(await readWhole(near.log, "ses_a")), [1, 2, 3, 4, 5]);
    assert.deepEqual([...new Set(heard)], [1, 2, 3, 4, 5], "a look may have found them before");
    await eventually(
      "the other node hears of all of them",
      () => new Set(heardNear).size >= 3 && heardNear.at(-1) === 5,
    );
    assert.equal((await near.log.head("ses_a"))?.state.title, "on");
    const all = await far.log.readAll({ after: 0, limit: 10 });
    assert.deepEqual(numbers(all), [1, 2, 3, 4, 5], "once in the order over all sessions");
  });

  test("a repeat with other events is refused", async (t) => {
    const { proxy, far } = await distant(t);
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    proxy.loseAnswer(inAppend);
    await assert.rejects(hold.append(1, entries(updated("x"))), { code: "outcome_unknown" });
    await assert.rejects(
      eventually("an answer", async () => {
        await hold.append(1, entries(updated("other"))).catch((error: unknown) => {
          if (!isParleyError(error) || error.code !== "unavailable") throw error;
        });
        return false;
      }),
      { code: "invalid" },
    );
  });

  test("a request that comes long after its repeat changes nothing, not even after a fold", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    const caught = proxy.takeRequest(inAppend);
    const late = entries(updated("late"), delta("A", "1"), delta("A", "2"));
    const lost = hold.append(1, late);
    lost.catch(() => undefined);
    const stray = await caught;
    await assert.rejects(lost, { code: "outcome_unknown" });
    await storePatiently(hold, 1, late);
    await hold.append(4, entries(completed("A", "12"), updated("newer")));
    await hold.fold(6);
    const [before, head] = [await readWhole(far.log, "ses_a"), await far.log.head("ses_a")];
    assert.deepEqual(numbers(before), [1, 2, 5, 6]);
    await stray.deliver();
    assert.deepEqual(await readWhole(far.log, "ses_a"), before);
    assert.deepEqual(await far.log.head("ses_a"), head);
    assert.equal(head?.state.title, "newer");
    await far.log.position();
    const [row] = await nodes.sql<{ commits: number }>("SELECT count(*)::int AS commits FROM commits");
    assert.equal(row?.commits, 3);
  });

  test("a piece of text that comes long after its repeat changes nothing, not even after a fold", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    const caught = proxy.takeRequest(inAppend);
    const lost = hold.append(1, entries(delta("A", "1")));
    lost.catch(() => undefined);
    const stray = await caught;
    await assert.rejects(lost, { code: "outcome_unknown" });
    await storePatiently(hold, 1, entries(delta("A", "1")));
    await hold.append(2, entries(completed("A", "1")));
    await hold.fold(3);
    const before = await readWhole(far.log, "ses_a");
    assert.deepEqual(numbers(before), [1, 3]);
    await stray.deliver();
    assert.deepEqual(await readWhole(far.log, "ses_a"), before);
    await far.log.position();
    const [row] = await nodes.sql<{ waiting: number }>("SELECT count(*)::int AS waiting FROM unordered");
    assert.equal(row?.waiting, 0);
  });

  test("one event is stored by the shorter statement, with any text, and its place in the order", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    const odd = 'a NUL \0, half a pair \ud800, {"braces"}, \\ and \u00e9';
    proxy.loseAnswer(says("append_one_v1"));
    await assert.rejects(hold.append(1, entries(delta("A", odd))), { code: "outcome_unknown" });
    await storePatiently(hold, 1, entries(delta("A", odd)));
    assert.equal(proxy.lost, 1);
    const near = await nodes.node("near");
    const [, stored] = parsed(await readWhole(near.log, "ses_a"));
    assert.equal(stored?.type === "item.delta" && stored.data.delta, odd);
    assert.deepEqual(numbers(await near.log.readAll({ after: 0, limit: 10 })), [1, 2]);
  });

  test("a request that comes after a takeover stores nothing", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    const caught = proxy.takeRequest(inAppend);
    hold.append(1, entries(updated("late"))).catch(() => undefined);
    const stray = await caught;
    await nodes.bury(far.node);
    const near = await nodes.node("near");
    const taken = await near.log.open("ses_a");
    assert.equal(taken.head?.last, 1);
    await stray.deliver();
    assert.deepEqual(numbers(await readWhole(near.log, "ses_a")), [1]);
    assert.deepEqual(numbers(await taken.append(1, entries(updated("next")))), [2]);
    await assert.rejects(storePatiently(hold, 1, entries(updated("late"))), { code: "fenced" });
  });

  test("a pass of the order whose answer is lost leaves nothing out and nothing twice", async (t) => {
    const { proxy, far } = await distant(t);
    proxy.loseAnswer(says("order_v1"));
    await create(far.log, "ses_a", updated("x"));
    await create(far.log, "ses_b");
    await eventually("both are in the order", async () => {
      const all = await far.log.readAll({ after: 0, limit: 9 }).catch(() => []);
      return all.length === 3;
    });
    assert.equal(proxy.lost, 1);
    const positions = (await far.log.readAll({ after: 0, limit: 9 })).map(({ position }) => position);
    assert.equal(new Set(positions).size, 3);
  });
});

describe("a database that is away", needsPostgres, () => {
  test("calls are refused at once, and everything goes on when it is back", async (t) => {
    const { nodes, proxy, far } = await distant(t);
    const near = await nodes.node("near");
    const hold = await far.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    await create(near.log, "ses_near");
    const heard: number[] = [];
    let calls = 0;
    far.log.listen("ses_near", (records) => {
      calls += 1;
      heard.push(...numbers(records));
    });
    // A new listener is woken, or told, when its log knows where the session stands, and hears of what comes after that.
    await eventually("the listener follows", () => calls > 0);
    proxy.refuse();
    await eventually("the connections are known to be gone", async () => {
      const error = await far.log.head("ses_a").catch((thrown: unknown) => thrown);
      return isParleyError(error) && error.code === "unavailable";
    });
    await assert.rejects(hold.append(1, entries(updated("x"))), { code: "unavailable" });
    await assert.rejects(far.log.check(), { code: "unavailable" });
    await assert.rejects(far.log.open("ses_a"), { code: "unavailable" });
    const told = await far.log.head("ses_a").catch((thrown: Error) => thrown.message);
    assert.match(String(told), /^the database at 127\.0\.0\.1:\d+\/test_\d+ cannot be reached .* goes on by itself/);
    assert.doesNotMatch(String(told), /secret/);
    const other = await near.log.open("ses_near");
    await other.append(1, entries(updated("meanwhile")));
    proxy.heal();
    assert.deepEqual(numbers(await storePatiently(hold, 1, entries(updated("x")))), [2]);
    await other.append(2, entries(updated("afterwards")));
    await eventually("a listener hears of what was stored meanwhile", () => heard.includes(3));
  });

  test("an append under way in a crash of the server is stored once or not at all", async () => {
    const server = await PostgresServer.start();
    const { log } = await openNode({ url: server.url(await server.createDatabase()), directory: "a" });
    try {
      const hold = await log.open({ id: "ses_a" });
      await hold.append(0, entries(started()));
      let after = 1;
      let stopped = false;
      const writing = (async () => {
        while (!stopped || after < 20) {
          await storePatiently(hold, after, entries(updated(`${after}`), delta("A", "x")));
          after += 2;
        }
      })();
      await eventually("some are stored", () => after > 10);
      await server.halt("immediate");
      await server.run();
      const before = after;
      await eventually("it goes on", () => after > before + 10);
      stopped = true;
      await writing;
      const records = await readWhole(log, "ses_a");
      assert.deepEqual(
        numbers(records),
        Array.from({ length: after }, (_, n) => n + 1),
      );
      await eventually("all are in the order over all sessions", async () => {
        const all = await log.readAll({ after: 0, limit: 10_000 }).catch(() => []);
        return all.length === records.length && all.every(({ seq }, n) => seq === n + 1);
      });
      assert.equal(parsed(records).length, after);
    } finally {
      await log.close();
      await server.stop();
    }
  });

  const disk = mountSmallDisk(8);
  test("a full disk refuses with disk_full, stores nothing, and goes on when there is space", {
    skip: disk ? false : "mounting a disk needs root on Linux",
  }, async (t) => {
    if (!disk) return;
    t.after(() => disk.unmount());
    const nodes = await cluster(t);
    const { log } = await nodes.node("a");
    const hold = await log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    nodes.server.own(disk.path);
    await nodes.server.sql("postgres", `CREATE TABLESPACE small LOCATION '${disk.path}'`);
    await nodes.sql("ALTER TABLE events SET TABLESPACE small");
    disk.fill();
    const heavy = entries(updated("x"), ...Array.from({ length: 2000 }, (_, n) => delta("A", `${n} `.repeat(200))));
    await assert.rejects(hold.append(1, heavy), { code: "disk_full" });
    assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1]);
    disk.free();
    assert.equal((await hold.append(1, heavy)).length, heavy.length);
    await nodes.sql("ALTER TABLE events SET TABLESPACE pg_default");
  });
});

describe("a node that starts again", needsPostgres, () => {
  test("has another number, and takes the sessions of its directory", async (t) => {
    const nodes = await cluster(t);
    const first = await nodes.node("a");
    await create(first.log, "ses_a");
    const node = await addNode(first.database, "a");
    assert.ok(node > first.node);
    const again = await nodes.node("a");
    assert.equal((await again.log.open("ses_a")).head?.last, 1);
  });
});
