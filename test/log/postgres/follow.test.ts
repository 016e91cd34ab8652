import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Log } from "../../../src/log/contract.ts";
import { readAddress } from "../../../src/postgres/address.ts";
import { connect } from "../../../src/postgres/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort, needsPostgres } from "../../support/postgres.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { PATIENCE_MS, staysSo } from "../../support/time.ts";
import { drafts, entries, numbers } from "../drafts.ts";
import { follow, some, upTo } from "../probe.ts";
import { append, create } from "../writers.ts";
import { cluster } from "./place.ts";

const { updated } = drafts;

describe("listeners on another node", needsPostgres, () => {
  test("a session's tail gets every number once, in order, while the other node writes", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a", ...some(9));
    const probe = follow(b.log, { session: "ses_a", after: 3 });
    for (let n = 0; n < 40; n++) await append(a.log, "ses_a", entries(...some(5)));
    await probe.has(207);
    assert.deepEqual(numbers(probe.records), upTo(210).slice(3));
    assert.deepEqual(probe.gaps, []);
    probe.tail.close();
  });

  test("a tail from before the session's creation gets it all", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const probe = follow(b.log, { session: "ses_a", after: 0 });
    await create(a.log, "ses_a", ...some(600));
    await probe.has(601);
    assert.deepEqual(numbers(probe.records), upTo(601));
    probe.tail.close();
  });

  test("a tail goes on when its session moves to another node, and to this one", async (t) => {
    const nodes = await cluster(t);
    const [a, b, c] = [await nodes.node("a"), await nodes.node("b"), await nodes.node("c")];
    await create(a.log, "ses_a");
    const probe = follow(c.log, { session: "ses_a", after: 0 });
    let last = 1;
    for (const { log } of [a, b, c, a]) {
      const hold = await log.open("ses_a");
      for (let n = 0; n < 10; n++, last++) await hold.append(last, entries(updated(`${last}`)));
      await hold.release();
    }
    await probe.has(41);
    assert.deepEqual(numbers(probe.records), upTo(41));
    probe.tail.close();
  });

  test("three writers: every tail of all sessions gets every event once, in one order, as a later reader does", async (t) => {
    const nodes = await cluster(t);
    const logs: Log[] = [];
    for (const name of ["a", "b", "c"]) logs.push((await nodes.node(name)).log);
    const probes = logs.map((log) => follow(log, { session: null, after: 0 }));
    const rounds = 40;
    await Promise.all(
      logs.flatMap((log, of) =>
        ["x", "y"].map(async (name) => {
          const session = `ses_${of}${name}`;
          await create(log, session);
          for (let n = 0; n < rounds; n++) await append(log, session, entries(...some(1 + (n % 4))));
        }),
      ),
    );
    const total = 6 * (1 + upTo(rounds).reduce((sum, n) => sum + 1 + ((n - 1) % 4), 0));
    await Promise.all(probes.map((probe) => probe.has(total)));
    const late = await logs[0]?.readAll({ after: 0, limit: total + 1 });
    const order = late?.map(({ session, seq }) => `${session}:${seq}`);
    assert.equal(new Set(order).size, total);
    for (const probe of probes) {
      assert.deepEqual(
        probe.records.map(({ session, seq }) => `${session}:${seq}`),
        order,
      );
      probe.tail.close();
    }
    for (const session of new Set(late?.map((record) => record.session))) {
      const own = late?.filter((record) => record.session === session) ?? [];
      assert.deepEqual(numbers(own), upTo(own.length), "in the order of its numbers");
    }
    const positions = late?.map(({ position }) => position) ?? [];
    assert.ok(positions.every((position, at) => at === 0 || position > (positions[at - 1] ?? 0)));
    const back = await logs[1]?.readAllBack({ before: (positions.at(-1) ?? 0) + 1, limit: total });
    assert.deepEqual(back, late);
  });

  test("appends that a dead node left without a position get one", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a");
    await a.log.position();
    const probe = follow(b.log, { session: null, after: 0 });
    await probe.has(1);
    // As a node that dies between its commit and the order.
    await nodes.sql(`INSERT INTO events (sid, seq, type, json) SELECT sid, 2, 'session.updated', '{}' FROM sessions;
      INSERT INTO unordered (sid, seq_from, seq_to, epoch) SELECT sid, 2, 2, 1 FROM sessions`);
    await probe.has(2);
    probe.tail.close();
  });

  test("further hints reach the other nodes, and not the sender", async (t) => {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    const heard: string[] = [];
    a.log.hints.on("w", (text) => heard.push(`a ${text}`));
    const stop = b.log.hints.on("w", (text) => heard.push(`b ${text}`));
    await eventually("both listen", () => a.log.stats().hintsUp && b.log.stats().hintsUp);
    a.log.hints.send("w", "ses_a 1");
    a.log.hints.send("other", "x");
    await eventually("it is heard", () => heard.length > 0);
    assert.deepEqual(heard, ["b ses_a 1"]);
    stop();
    await eventually("the sender hears its own, and knows how late they are", () => a.log.stats().hintLagMs > 0);
  });
});

describe("lost hints", needsPostgres, () => {
  test("a node that cannot listen finds everything by looking", async (t) => {
    const nodes = await cluster(t);
    const listenUrl = nodes.server.url(nodes.name, { port: await freePort() });
    const [a, b] = [await nodes.node("a"), await nodes.node("b", { listenUrl })];
    await create(a.log, "ses_a");
    const [one, all] = [follow(b.log, { session: "ses_a", after: 0 }), follow(b.log, { session: null, after: 0 })];
    for (let n = 0; n < 5; n++) await append(a.log, "ses_a", entries(...some(3)));
    await Promise.all([one.has(16), all.has(16)]);
    assert.equal(b.log.stats().hintsUp, false);
    for (const probe of [one, all]) {
      assert.deepEqual(numbers(probe.records), upTo(16));
      probe.tail.close();
    }
  });

  test("a node whose notifications vanish on their way finds everything all the same, and notices", async (t) => {
    const nodes = await cluster(t);
    const proxy = await TcpProxy.start(nodes.server.port);
    t.after(() => proxy.close());
    const listenUrl = nodes.server.url(nodes.name, { port: proxy.port });
    const [a, b] = [await nodes.node("a"), await nodes.node("b", { listenUrl })];
    await create(a.log, "ses_a");
    await create(b.log, "ses_b");
    const probe = follow(b.log, { session: "ses_a", after: 0 });
    await eventually("it listens", () => b.log.stats().hintsUp);
    await append(a.log, "ses_a", entries(updated("heard")));
    await probe.has(2);
    proxy.blackHole();
    await append(a.log, "ses_a", entries(updated("not heard")));
    await probe.has(3);
    await append(b.log, "ses_b", entries(updated("whose echo does not come")));
    await eventually("it knows that hints do not come", () => !b.log.stats().hintsUp);
    proxy.heal();
    await eventually("they come again", async () => {
      await append(b.log, "ses_b", entries(updated("again")));
      return b.log.stats().hintsUp;
    });
    await append(a.log, "ses_a", entries(updated("heard again")));
    await probe.has(4);
    assert.deepEqual(numbers(probe.records), [1, 2, 3, 4]);
    probe.tail.close();
  });
});

describe("statements", needsPostgres, () => {
  /** Statements of a node while another one commits so often, each commit after everybody heard of the one before. */
  async function cost(t: Parameters<typeof cluster>[0], clients: number, commits: number): Promise<number> {
    const nodes = await cluster(t);
    const [a, b] = [await nodes.node("a"), await nodes.node("b")];
    await create(a.log, "ses_a");
    const probes = upTo(clients).map(() => follow(b.log, { session: "ses_a", after: 0 }));
    await Promise.all(probes.map((probe) => probe.has(1)));
    await eventually("it listens", () => b.log.stats().hintsUp);
    // The first commits find tails that still read.
    for (let n = 2; n <= 4; n++) {
      await append(a.log, "ses_a", entries(updated("warm up")));
      await Promise.all(probes.map((probe) => probe.has(n)));
    }
    const [before, began] = [b.log.stats().statements, performance.now()];
    for (let n = 5; n <= 4 + commits; n++) {
      await append(a.log, "ses_a", entries(updated("x")));
      await Promise.all(probes.map((probe) => probe.has(n)));
    }
    const statements = b.log.stats().statements - before;
    for (const probe of probes) {
      assert.deepEqual(numbers(probe.records), upTo(4 + commits));
      probe.tail.close();
    }
    // The poll of each second is the machine's, not the clients'.
    return statements - Math.ceil((performance.now() - began) / 1000) * 2;
  }

  test("a thousand clients of a session on another node cost the database what one does", async (t) => {
    const commits = 30;
    const [one, many] = [await cost(t, 1, commits), await cost(t, 1000, commits)];
    assert.ok(one <= commits * 2, `one client: ${one} statements for ${commits} commits`);
    assert.ok(many <= commits * 2, `a thousand clients: ${many} statements for ${commits} commits`);
  });

  test("a node that nobody listens to is nearly silent", async (t) => {
    const nodes = await cluster(t);
    const a = await nodes.node("a");
    await create(a.log, "ses_a");
    await a.log.position();
    await eventually("it listens", () => a.log.stats().hintsUp);
    const [before, began] = [a.log.stats().statements, performance.now()];
    // Some beside these: the index takes in what was stored.
    const allowed = () => 8 + (performance.now() - began) / 1000;
    await staysSo("at most a statement a second", () => a.log.stats().statements - before <= allowed(), 4_000);
  });

  test("a node has seven connections at most", async (t) => {
    const nodes = await cluster(t);
    const { log, database } = await nodes.node("a");
    const watcher = await connect({ address: readAddress(nodes.server.url(nodes.name)), limitMs: PATIENCE_MS });
    t.after(() => watcher.end());
    const count = async (): Promise<number> => {
      const [row] = await watcher.run<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        [],
        PATIENCE_MS,
      );
      return row?.count ?? 0;
    };
    const counts: number[] = [];
    const sessions = upTo(50).map((n) => `ses_${n}`);
    await Promise.all(sessions.map((id) => create(log, id, ...some(20), drafts.completed("A", "x"))));
    const working = Promise.all(
      sessions.flatMap((id) => [
        append(log, id, entries(updated("x"))),
        log.read(id, { after: 0, limit: 9 }),
        log.head(id),
        database.control("SELECT pg_sleep(0.01)"),
      ]),
    );
    for (let n = 0; n < 10; n++) counts.push(await count());
    await working;
    await eventually("it listens", () => log.stats().hintsUp);
    counts.push(await count());
    assert.ok(Math.max(...counts) <= 7, `connections: ${counts}`);
    assert.equal(log.stats().connections, counts.at(-1));
    assert.equal(counts.at(-1), 7, "all of them were needed");
  });
});
