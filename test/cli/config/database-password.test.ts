import assert from "node:assert/strict";
import { test } from "node:test";
import { serveCommand } from "../../../src/cli/commands/serve.ts";
import {
  assertNoPassword,
  databaseSecrets,
  hasPassword,
  withPasswords,
} from "../../../src/cli/config/database-password.ts";
import { environmentLayer } from "../../../src/cli/config/layers.ts";
import { readConfig } from "../../../src/cli/config/read-file.ts";
import { Home } from "../support.ts";

const addresses: [url: string, has: boolean][] = [
  ["postgres://parley@db.example/parley", false],
  ["postgres://db.example:5432/parley", false],
  ["postgresql:///parley?host=/run/postgresql", false],
  ["postgres://parley:s3cret-word@db.example/parley", true],
  ["postgres://:s3cret-word@db.example/parley", true],
  ["postgres://db.example/parley?user=a&password=s3cret-word", true],
];

for (const [url, has] of addresses) {
  test(`${url} has ${has ? "a" : "no"} password`, () => {
    assert.equal(hasPassword(url), has);
    assert.deepEqual(databaseSecrets({ databaseUrl: url }), has ? ["s3cret-word"] : []);
    const refused = /^CliError: a password in --database is seen in every list of processes/;
    if (has) assert.throws(() => assertNoPassword({ databaseListen: url }), refused);
    else assertNoPassword({ databaseUrl: url });
  });
}

test("a password is kept out of logs as it is written in the address, and as it is", () => {
  assert.deepEqual(databaseSecrets({ databaseUrl: "postgres://a:s3cret%20word@h/d" }), [
    "s3cret%20word",
    "s3cret word",
  ]);
});

test("the password of the environment is for addresses that have none", () => {
  const urls = { databaseUrl: "postgres://a@h/d?sslmode=require", databaseListen: "postgres://a:own@h/d" };
  assert.deepEqual(withPasswords(urls, "a b&c"), {
    databaseUrl: "postgres://a@h/d?sslmode=require&password=a%20b%26c",
    databaseListen: "postgres://a:own@h/d",
  });
  assert.deepEqual(withPasswords({}, "x"), {});
});

const WRONG = "mysql://a:s3cret-word@h/d";
const EXPECTED = "expected an address such as postgres://parley@db.example/parley";

test("no message repeats an address, wherever it was given", () => {
  assert.throws(() => environmentLayer({ PARLEY_DATABASE: WRONG }), {
    message: `PARLEY_DATABASE: ${EXPECTED}, got another text`,
  });
  assert.throws(() => readConfig(JSON.stringify({ database: WRONG }), "/c"), {
    message: `/c:1:13: database: ${EXPECTED}, got another text`,
  });
  assert.throws(() => serveCommand().parseOptions(["--database", WRONG]), {
    message: `option '--database <url>': ${EXPECTED}`,
  });
});

test("a value that means nothing is a mistake in a file, too", () => {
  assert.throws(() => readConfig('{ "place": "a b" }', "/c"), {
    message: '/c:1:12: place: expected a name of up to 64 letters, digits, dots, dashes and underscores, got "a b"',
  });
});

test("a password in a file that others can read is warned of", async () => {
  await using home = new Home();
  home.configure({ database: "postgres://a:s3cret-word@127.0.0.1:1/d" });
  const { stderr } = await home.run(["trust", "--list"]);
  assert.match(stderr, /warning: .*config\.jsonc holds a password and others can read it: chmod 600 it/);
  assert.doesNotMatch(stderr, /s3cret/);
});
