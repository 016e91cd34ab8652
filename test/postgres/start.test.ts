import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { isParleyError } from "../../src/core/errors.ts";
import { readAddress } from "../../src/postgres/address.ts";
import { connect } from "../../src/postgres/connection.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import { MIGRATIONS, migrate, NEWEST } from "../../src/postgres/migrations.ts";
import { freePort, needsPostgres, sharedPostgres } from "../support/postgres.ts";
import { PATIENCE_MS } from "../support/time.ts";

const refusal = async (url: string): Promise<{ code: string; message: string }> => {
  const error = await openDatabase({ url }).then(
    (database) => database.close(),
    (thrown: unknown) => thrown,
  );
  assert.ok(isParleyError(error), inspect(error));
  assert.doesNotMatch(inspect(error), /very secret|very%20secret|hidden-word/);
  assert.doesNotMatch(error.message, /\n/);
  return error;
};

/** The steps of the schema that a prepared database has already. */
const done = (sql: string) => Array.from({ length: NEWEST }, () => ({ sql, oldest: 1 }));

describe("a start on a database", needsPostgres, () => {
  test("is refused in one line for a wrong password, an unknown database and a server that is not there", async () => {
    const server = await sharedPostgres();
    const wrong = await refusal(server.url("postgres", { password: "hidden-word" }));
    assert.equal(wrong.code, "invalid");
    assert.match(wrong.message, /refused the login of user "parley"/);
    const unknown = await refusal(server.url("nowhere"));
    assert.equal(unknown.code, "invalid");
    assert.match(unknown.message, /no database "nowhere"/);
    const down = await refusal(server.url("postgres", { port: await freePort() }));
    assert.equal(down.code, "unavailable");
    assert.match(down.message, /127\.0\.0\.1:\d+\/postgres cannot be reached/);
    const noTls = await refusal(`${server.url("postgres")}?sslmode=require`);
    assert.equal(noTls.code, "invalid");
    assert.match(noTls.message, /has no TLS/);
  });

  test("is refused without the right to make tables, and beside tables of another program", async () => {
    const server = await sharedPostgres();
    const name = await server.createDatabase();
    await server.sql("postgres", "CREATE ROLE guest LOGIN PASSWORD 'very secret'");
    const guest = await refusal(server.url(name, { user: "guest" }));
    assert.equal(guest.code, "invalid");
    assert.match(guest.message, /user "guest" may not make tables/);
    await server.sql(name, "CREATE TABLE sessions (id int)");
    const beside = await refusal(server.url(name));
    assert.equal(beside.code, "invalid");
    assert.match(beside.message, /another program.*a database of its own/);
    const rows = await server.sql(name, "SELECT relname FROM pg_class WHERE relname IN ('meta', 'events')");
    assert.deepEqual(rows, [], "nothing was left of the attempt");
  });

  test("is refused on a database with another encoding", async () => {
    const server = await sharedPostgres();
    await server.sql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    assert.match((await refusal(server.url("latin"))).message, /expected the encoding UTF8 .* got LATIN1/);
  });

  test("makes the schema once, however many start at once, and one secret", async () => {
    const server = await sharedPostgres();
    const name = await server.createDatabase();
    const url = server.url(name);
    const databases = await Promise.all(Array.from({ length: 5 }, () => openDatabase({ url })));
    const meta = await databases[0]?.query<{ name: string; value: string }>(
      "SELECT name, value FROM meta ORDER BY name",
    );
    assert.deepEqual(
      meta?.map((row) => (row.name === "secret" ? `secret ${row.value.length}` : `${row.name} ${row.value}`)),
      ["oldest 1", `schema ${NEWEST}`, "secret 64", "uncounted 0"],
    );
    await Promise.all(databases.map((database) => database.close()));
  });

  test("works beside a newer schema that knows this version, and is refused by one that does not", async () => {
    const server = await sharedPostgres();
    const name = await server.preparedDatabase();
    await server.sql(name, `UPDATE meta SET value = '${NEWEST + 3}' WHERE name = 'schema'`);
    await (await openDatabase({ url: server.url(name) })).close();
    await server.sql(name, `UPDATE meta SET value = '${NEWEST + 1}' WHERE name = 'oldest'`);
    const error = await refusal(server.url(name));
    assert.equal(error.code, "invalid");
    assert.match(error.message, /written by a newer Parley \(schema \d+, .* run that version/);
  });

  test("goes on from the schema of the version before", async () => {
    const server = await sharedPostgres();
    const name = await server.preparedDatabase();
    const address = readAddress(server.url(name));
    const steps = [...done("THIS IS NO SQL: it was done before"), { sql: "CREATE TABLE later (x int)", oldest: 1 }];
    for (let time = 1; time <= 2; time++) {
      const connection = await connect({ address, limitMs: PATIENCE_MS });
      await migrate(connection, address, steps);
      await connection.end();
    }
    const meta = await server.sql(name, "SELECT value FROM meta WHERE name = 'schema'");
    assert.deepEqual(meta, [{ value: String(NEWEST + 1) }]);
    await server.sql(name, "SELECT x FROM later");
  });

  test("brings each older schema up to date, and leaves the functions of its nodes there", async () => {
    const server = await sharedPostgres();
    for (let version = 1; version < NEWEST; version++) {
      const name = await server.createDatabase();
      const address = readAddress(server.url(name));
      const connection = await connect({ address, limitMs: PATIENCE_MS });
      await migrate(connection, address, MIGRATIONS.slice(0, version));
      await connection.end();
      const functions = "SELECT proname AS f FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1";
      const before = await server.sql<{ f: string }>(name, functions);
      await server.sql(name, "INSERT INTO sessions (id, place, state) VALUES ('ses_old', 'here', '{}')");
      await (await openDatabase({ url: address.url })).close();
      const after = new Set((await server.sql<{ f: string }>(name, functions)).map(({ f }) => f));
      assert.deepEqual(
        before.filter(({ f }) => !after.has(f)),
        [],
      );
      assert.ok(after.size > before.length);
      assert.deepEqual(await server.sql(name, "SELECT id, lost_to FROM sessions"), [{ id: "ses_old", lost_to: 0 }]);
    }
  });

  test("a step that fails leaves nothing", async () => {
    const server = await sharedPostgres();
    const name = await server.preparedDatabase();
    const address = readAddress(server.url(name));
    const connection = await connect({ address, limitMs: PATIENCE_MS });
    const steps = [...done(""), { sql: "CREATE TABLE later (x int); SELECT no_such_thing()", oldest: 1 }];
    await assert.rejects(migrate(connection, address, steps), /no_such_thing/);
    await connection.end();
    const rows = await server.sql(
      name,
      "SELECT value FROM meta WHERE name = 'schema' AND to_regclass('later') IS NULL",
    );
    assert.deepEqual(rows, [{ value: String(NEWEST) }]);
  });

  test("a socket is an address, too", async () => {
    const server = await sharedPostgres();
    const name = await server.preparedDatabase();
    const url = `postgres://parley@/${name}?host=${encodeURIComponent(server.directory)}&port=${server.port}`;
    const database = await openDatabase({ url });
    assert.equal(database.where, `${server.directory}:${server.port}/${name}`);
    assert.deepEqual(await database.query("SELECT 1::bigint AS one"), [{ one: 1 }]);
    await database.close();
  });
});
