import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { isParleyError } from "../../src/core/errors.ts";
import { readAddress } from "../../src/postgres/address.ts";
import { connect } from "../../src/postgres/connection.ts";
import { type Database, openDatabase } from "../../src/postgres/database.ts";
import { eventually } from "../support/eventually.ts";
import { needsPostgres, type PostgresServer, sharedPostgres } from "../support/postgres.ts";
import { says, TcpProxy } from "../support/tcp-proxy.ts";
import { assertWithin, PATIENCE_MS, staysSo } from "../support/time.ts";

interface Stage {
  server: PostgresServer;
  name: string;
  proxy: TcpProxy;
  database: Database;
}

async function stage(t: TestContext): Promise<Stage> {
  const server = await sharedPostgres();
  const name = await server.preparedDatabase();
  const proxy = await TcpProxy.start(server.port);
  const database = await openDatabase({ url: server.url(name, { port: proxy.port }) });
  t.after(async () => {
    await database.close();
    await proxy.close();
  });
  await server.sql(name, "CREATE TABLE facts (fact int)");
  return { server, name, proxy, database };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (thrown: unknown) => (isParleyError(thrown) ? thrown.code : String(thrown)),
  );

const facts = async ({ server, name }: Stage): Promise<number> =>
  (await server.sql<{ count: number }>(name, "SELECT count(*)::int AS count FROM facts"))[0]?.count ?? 0;

describe("a database", needsPostgres, () => {
  test("takes and gives values of all kinds", async (t) => {
    const { database } = await stage(t);
    const [row] = await database.query(
      "SELECT $1::bigint AS a, $2::text AS b, $3::bytea AS c, $4::boolean AS d, $5::text[] AS e, NULL AS f, $6::int[] AS g",
      [2 ** 52, "é", Buffer.from([0, 255]), true, ["x", '"'], [1, 2]],
    );
    assert.deepEqual(row, { a: 2 ** 52, b: "é", c: Buffer.from([0, 255]), d: true, e: ["x", '"'], f: null, g: [1, 2] });
  });

  test("leaves the outcome of a write unknown when its answer is lost, and says that a read was not answered", async (t) => {
    const all = await stage(t);
    const { proxy, database } = all;
    for (const way of ["append", "order", "change", "control"] as const) {
      proxy.loseAnswer(says("INSERT INTO facts"));
      assert.equal(await codeOf(database[way]("INSERT INTO facts VALUES ($1)", [1])), "outcome_unknown", way);
    }
    assert.equal(await facts(all), 4, "the server had stored them");
    proxy.loseAnswer(says("FROM facts"));
    assert.equal(await codeOf(database.query("SELECT * FROM facts WHERE fact = $1", [1])), "unavailable");
    assert.equal(await codeOf(database.query("SELECT 1")), "done", "and goes on");
  });

  test("a refused statement changed nothing, and says why", async (t) => {
    const { database } = await stage(t);
    await assert.rejects(database.append("INSERT INTO facts VALUES ($1)", ["no number"]), {
      code: "unavailable",
      message: /refused a statement \(.*no number.*, 22P02\): nothing was stored/,
      details: { sqlState: "22P02" },
    });
    assert.equal(await codeOf(database.append("SELECT 1")), "done");
  });

  test("gives up a statement without an answer, and its connection", async (t) => {
    const all = await stage(t);
    const { proxy, database } = all;
    await database.control("SELECT 1");
    proxy.blackHole({ toServer: false });
    const began = performance.now();
    assert.equal(
      await codeOf(database.control("INSERT INTO facts VALUES (1)", [], { limitMs: 300 })),
      "outcome_unknown",
    );
    assertWithin(performance.now() - began, 1_000, "an unknown outcome");
    await eventually("the write is stored all the same", async () => (await facts(all)) === 1);
    proxy.heal();
    await eventually(
      "it goes on with another connection",
      async () => (await codeOf(database.control("SELECT 1"))) === "done",
    );
  });

  test("refuses within a second or so while nothing can be reached, without a word of it being sent", async (t) => {
    const all = await stage(t);
    const { proxy, database } = all;
    proxy.blackHole();
    proxy.cut();
    await eventually("the connections are known to be gone", async () => {
      const began = performance.now();
      const code = await codeOf(database.append("INSERT INTO facts VALUES (1)"));
      if (code === "unavailable") assertWithin(performance.now() - began, 1_500, "a refusal");
      return code === "unavailable";
    });
    proxy.heal();
    await eventually("it is back", async () => (await codeOf(database.query("SELECT 1"))) === "done");
    await staysSo("nothing is stored", () => true);
    assert.equal(await facts(all), 0);
  });

  test("leases do not wait behind other work", async (t) => {
    const { server, name, database } = await stage(t);
    await server.sql(name, "CREATE FUNCTION hang() RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(2)'");
    const slow = [database.append("SELECT hang()"), database.order("SELECT hang()")];
    const reads = Array.from({ length: 6 }, () => database.query("SELECT hang()"));
    let answered = false;
    const quick = database.control("SELECT 1").then(() => {
      answered = true;
    });
    await Promise.race([...slow, ...reads, quick]);
    assert.ok(answered, "the lease came first");
    await Promise.all([...slow, ...reads]);
  });

  test("a connection that the server ends is made anew", async (t) => {
    const { server, name, database } = await stage(t);
    await database.query("SELECT 1");
    await server.sql(
      name,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await eventually("it is back", async () => (await codeOf(database.query("SELECT 1"))) === "done");
  });

  test("listens, also after its connection was lost", async (t) => {
    const { server, name, proxy, database } = await stage(t);
    const heard: string[] = [];
    let ups = 0;
    const listening = database.listen("words", { heard: (payload) => heard.push(payload), up: () => ups++ });
    await eventually("it listens", () => ups === 1);
    await server.sql(name, "NOTIFY words, 'one'");
    await eventually("the word comes", () => heard.length === 1);
    proxy.cut();
    await eventually("it listens again", () => ups === 2);
    await server.sql(name, "NOTIFY words, 'two'; NOTIFY other, 'x'");
    await eventually("the next word comes", () => heard.length === 2);
    assert.deepEqual(heard, ["one", "two"]);
    listening.renew("a test");
    await eventually("it listens once more", () => ups === 3);
  });

  test("is closed: later calls are refused, and the server has no connection left", async (t) => {
    const { server, name, database } = await stage(t);
    database.listen("words", { heard: () => undefined });
    await Promise.all([database.query("SELECT 1"), database.append("SELECT 1")]);
    const last = database.query("SELECT pg_sleep(0.05)");
    await database.close();
    await last;
    assert.equal(await codeOf(database.query("SELECT 1")), "shutting_down");
    await eventually("nothing is left", async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
      return (await server.sql(name, sql)).length === 0;
    });
  });
});

describe("a statement that waits for a lock", needsPostgres, () => {
  test("is given up by the server, too, when nobody waits for it any more", async (t) => {
    const { server, name, database } = await stage(t);
    const waiting = async (): Promise<number> =>
      (
        await server.sql(
          name,
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
      ).length;
    const blocker = await connect({ address: readAddress(server.url(name)), limitMs: PATIENCE_MS });
    t.after(() => blocker.end());
    await blocker.run("BEGIN; LOCK TABLE facts", [], PATIENCE_MS);
    const asked = codeOf(database.control("SELECT * FROM facts", [], { limitMs: 1_000 }));
    await eventually("it waits", async () => (await waiting()) === 1);
    assert.equal(await asked, "outcome_unknown");
    await eventually("nothing waits any more", async () => (await waiting()) === 0);
  });
});
