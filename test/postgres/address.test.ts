import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { isParleyError } from "../../src/core/errors.ts";
import { readAddress } from "../../src/postgres/address.ts";
import { connectProblem } from "../../src/postgres/connect-problem.ts";
import { LostAnswer, toDatabaseError } from "../../src/postgres/errors.ts";
import { serverProblem } from "../../src/postgres/server.ts";

const NO_ENV = {};

describe("a database's URL", () => {
  for (const [url, where, user, env] of [
    ["postgres://ann@db.test/parley", "db.test:5432/parley", "ann", NO_ENV],
    ["postgresql://ann:pw@db.test:6000/parley?sslmode=require", "db.test:6000/parley", "ann", NO_ENV],
    ["postgres://ann:p%40ss%2Fword@[::1]:6000/parley", "[::1]:6000/parley", "ann", NO_ENV],
    ["postgres:///parley?host=/run/postgresql&user=ann", "/run/postgresql:5432/parley", "ann", NO_ENV],
    ["postgres://ann@/parley", "localhost:5432/parley", "ann", NO_ENV],
    ["postgres://ann@db.test", "db.test:5432/ann", "ann", NO_ENV],
    [
      "postgres://",
      "pg.test:7000/work",
      "eve",
      { PGHOST: "pg.test", PGPORT: "7000", PGDATABASE: "work", PGUSER: "eve" },
    ],
  ] as const) {
    test(`${url} is ${where} for ${user}`, () => {
      const address = readAddress(url, env);
      assert.deepEqual({ where: address.where, user: address.user }, { where, user });
    });
  }

  for (const url of [
    "",
    "db.test",
    "mysql://ann:hidden1@db.test/x",
    "http://ann:hidden1@db.test",
    "postgres://ann:hid@den1@db.test:x/y",
    "postgres://ann:hidden1@db.test:port/x",
  ]) {
    test(`${url.replace(/hidden1|hid@den1/, "…")} is refused in one line, without its password`, () => {
      assert.throws(
        () => readAddress(url, NO_ENV),
        (error) =>
          isParleyError(error) &&
          error.code === "invalid" &&
          !/\n|hidden1|den1/.test(inspect(error).split("\n    at")[0] ?? ""),
      );
    });
  }
});

describe("passwords", () => {
  const env = { PGPASSWORD: "from-the-variable" };
  const address = readAddress("postgres://ann:s%40cret-word@db.test/parley?password=other-secret", env);
  for (const [text, expected] of [
    ["failed for s@cret-word", "failed for ***"],
    ["failed for s%40cret-word", "failed for ***"],
    ["connecting to postgres://ann:whatever@db.test/x", "connecting to postgres://ann:***@db.test/x"],
    ["postgresql://bob:p:w@h and more", "postgresql://bob:***@h and more"],
    ["host=db password=abc user=x", "host=db password=*** user=x"],
    ["?user=x&PASSWORD=abc&y=1", "?user=x&PASSWORD=***&y=1"],
    ["other-secret, from-the-variable", "***, ***"],
    ["nothing to hide", "nothing to hide"],
  ] as const) {
    test(`"${text}" becomes "${expected}"`, () => assert.equal(address.redact(text), expected));
  }

  test("appear in no error that is made of what the server or the client said", () => {
    const said = new Error(
      "cannot connect with postgres://ann:s@cret-word@db.test and from-the-variable, other-secret",
    );
    for (const error of [
      connectProblem(said, address),
      toDatabaseError(said, "write", address),
      toDatabaseError(said, "read", address),
    ]) {
      assert.doesNotMatch(error.message + JSON.stringify(error.details), /s@cret-word|from-the-variable|other-secret/);
    }
  });

  test("a short one is taken out of URLs and settings only", () => {
    const short = readAddress("postgres://ann:a@db.test/parley", NO_ENV);
    assert.equal(
      short.redact("a table, postgres://ann:a@db.test, password=a"),
      "a table, postgres://ann:***@db.test, password=***",
    );
  });
});

/** An error as the client makes it of the server's words. */
const told = (code: string, severity = "ERROR"): Error => Object.assign(new Error("what it said"), { code, severity });

describe("what a statement ended with", () => {
  const address = readAddress("postgres://ann@db.test/parley", NO_ENV);
  for (const [what, thrown, write, read] of [
    ["a lost connection", new LostAnswer("gone"), "outcome_unknown", "unavailable"],
    [
      "an error of the socket",
      Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      "outcome_unknown",
      "unavailable",
    ],
    ["a server that ends the connection", told("57P01", "FATAL"), "outcome_unknown", "unavailable"],
    ["a server that crashes", told("XX000", "PANIC"), "outcome_unknown", "unavailable"],
    ["a full disk", told("53100"), "disk_full", "disk_full"],
    ["a replica", told("25006"), "unavailable", "unavailable"],
    ["a refusal", told("40001"), "unavailable", "unavailable"],
    ["a cancelled statement", told("57014"), "unavailable", "unavailable"],
  ] as const) {
    test(`${what} is ${write} for a write and ${read} for a read`, () => {
      assert.equal(toDatabaseError(thrown, "write", address).code, write);
      const error = toDatabaseError(thrown, "read", address);
      assert.equal(error.code, read);
      assert.match(error.message, /db\.test:5432\/parley/);
    });
  }
});

describe("what kept a start from its database", () => {
  const address = readAddress("postgres://ann@db.test/parley", NO_ENV);
  for (const [what, thrown, code, words] of [
    ["a wrong password", told("28P01", "FATAL"), "invalid", /refused the login of user "ann"/],
    ["no entry in pg_hba.conf", told("28000", "FATAL"), "invalid", /pg_hba\.conf/],
    ["no such database", told("3D000", "FATAL"), "invalid", /no database "parley".*create it/],
    ["no rights to tables", told("42501"), "invalid", /may not use Parley's tables.*the user that made them/],
    [
      "no rights to make tables",
      Object.assign(new Error("permission denied for schema public"), { code: "42501" }),
      "invalid",
      /may not make tables.*GRANT/,
    ],
    ["tables of another program", told("42P07"), "invalid", /database of its own/],
    ["an unknown host", Object.assign(new Error("x"), { code: "ENOTFOUND" }), "invalid", /no host of that name/],
    ["no password given", new Error("SASL: client password must be a string"), "invalid", /PGPASSWORD/],
    ["no TLS", new Error("The server does not support SSL connections"), "invalid", /sslmode/],
    [
      "a certificate",
      Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }),
      "invalid",
      /certificate/,
    ],
    [
      "a server that is down",
      Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
      "unavailable",
      /cannot be reached/,
    ],
    ["too many connections", told("53300", "FATAL"), "unavailable", /cannot be reached \(what it said\)/],
  ] as const) {
    test(`${what} is one clear line`, () => {
      const error = connectProblem(thrown, address);
      assert.equal(error.code, code);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /\n/);
    });
  }

  for (const [what, facts, words] of [
    [
      "an older server",
      { version: 140_012, encoding: "UTF8", readOnly: false },
      /expected PostgreSQL 15 or later .*, got 14/,
    ],
    ["another encoding", { version: 150_018, encoding: "LATIN1", readOnly: false }, /expected the encoding UTF8/],
    ["a replica", { version: 150_018, encoding: "UTF8", readOnly: true }, /read-only.*primary/],
  ] as const) {
    test(`${what} is one, too`, () => assert.match(serverProblem(facts, address) ?? "", words));
  }

  test("a server of today is none", () => {
    assert.equal(serverProblem({ version: 180_001, encoding: "UTF8", readOnly: false }, address), undefined);
  });
});
