import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openDatabase } from "../../../src/postgres/database.ts";
import { NEWEST } from "../../../src/postgres/migrations.ts";
import { needsPostgres, PostgresServer, sharedPostgres } from "../../support/postgres.ts";
import { Home } from "../support.ts";

interface Told {
  name: string;
  level: string;
  detail: string;
}

const ABOUT = ["database", "durability", "schema", "replicas", "clock", "tables", "nodes", "order", "log"];

async function examined(home: Home, url: string): Promise<{ code: number | null; told: string[]; all: string }> {
  const { code, stdout, stderr } = await home.run(["doctor", "--json"], { env: { PARLEY_DATABASE: url } });
  const { checks } = JSON.parse(stdout) as { checks: Told[] };
  const about = checks.filter(({ name }) => ABOUT.includes(name));
  return { code, told: about.map(({ name, level, detail }) => `${level} ${name}: ${detail}`), all: stdout + stderr };
}

describe("doctor with a database", needsPostgres, () => {
  test("tells of a sound one, before and after its first start, and never the password", async (t) => {
    const postgres = await PostgresServer.start();
    t.after(() => postgres.stop());
    const database = await postgres.createDatabase();
    await using home = new Home();
    const before = await examined(home, postgres.url(database));
    assert.match(
      before.told[0] ?? "",
      new RegExp(`^ok database: 127.0.0.1:\\d+/${database} as parley, PostgreSQL \\d+`),
    );
    assert.deepEqual(before.told.slice(1), [
      "ok durability: fsync on, synchronous_commit on",
      "ok schema: none yet: the first start makes it",
      "ok clock: that of this machine is the database's",
      "ok nodes: none is up",
    ]);
    assert.equal(before.code, 0);
    assert.deepEqual(
      await postgres.sql(database, "SELECT 1 FROM pg_tables WHERE tablename = 'meta'"),
      [],
      "only looks",
    );
    await (await openDatabase({ url: postgres.url(database) })).close();
    const after = await examined(home, postgres.url(database));
    assert.ok(after.told.includes(`ok schema: ${NEWEST}`), after.told.join("\n"));
    for (const secret of ["very secret", "very%20secret"]) {
      assert.ok(!before.all.includes(secret) && !after.all.includes(secret));
    }
  });

  test("warns of what an operator would want to know", async (t) => {
    const postgres = await PostgresServer.start({ settings: { fsync: "off", synchronous_commit: "off" } });
    t.after(() => postgres.stop());
    const database = await postgres.createDatabase();
    await (await openDatabase({ url: postgres.url(database) })).close();
    await postgres.sql(
      database,
      `INSERT INTO nodes (directory, name, address, place, version, lease_until, dead) VALUES
         ('d1', 'late', 'http://127.0.0.1:1', 'here', '0', clock_timestamp() - interval '5 s', false),
         ('d2', 'up', 'http://up.example:1', 'there', '0', clock_timestamp() + interval '1 h', false),
         ('d3', 'gone', '', 'here', '0', clock_timestamp(), true)`,
    );
    await postgres.sql(
      database,
      `INSERT INTO sessions (id, place, unsettled, state) VALUES ('ses_1', 'here', true, '{}')`,
    );
    await postgres.sql(
      database,
      `INSERT INTO owners (sid, node, epoch) SELECT s.sid, n.node, 1 FROM sessions s, nodes n WHERE n.name = 'gone'`,
    );
    await postgres.sql(
      database,
      `INSERT INTO events (sid, seq, type, json) SELECT sid, 1, 'session.started',
         '{"time":' || ((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint || '}' FROM sessions`,
    );
    await postgres.sql(
      database,
      `INSERT INTO unordered (sid, seq_from, seq_to, epoch) SELECT sid, 1, 1, 1 FROM sessions`,
    );
    await using home = new Home();
    const { told, code } = await examined(home, postgres.url(database));
    const worse = told.filter((line) => !line.startsWith("ok "));
    const wanted = [
      /^warn durability: fsync is off/,
      /^warn durability: synchronous_commit is off/,
      /^warn nodes: leases are over: late \(since \d+\.\d s\)$/,
      /^warn nodes: 1 session of dead nodes in place here/,
      /^warn nodes: late has the address http:\/\/127\.0\.0\.1:1/,
      /^warn order: events of 6\d\.\d s ago/,
    ];
    assert.equal(worse.length, wanted.length, worse.join("\n"));
    for (const [at, line] of wanted.entries()) assert.match(worse[at] ?? "", line);
    assert.equal(code, 0, "warnings only");
  });

  test("tells of one that is not there in one line", async () => {
    const postgres = await sharedPostgres();
    await using home = new Home();
    const { told, code } = await examined(home, postgres.url("nowhere"));
    assert.equal(code, 1);
    assert.match(
      told.join("\n"),
      /^bad database: there is no database "nowhere" at 127\.0\.0\.1:\d+\/nowhere: create it/,
    );
  });
});
