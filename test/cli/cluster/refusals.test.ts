import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openDatabase } from "../../../src/postgres/database.ts";
import { needsPostgres, sharedPostgres } from "../../support/postgres.ts";
import { fakePostgres } from "./fake-postgres.ts";
import { Home, newDatabase, TOKEN } from "./support.ts";

const PASSWORD = "wr0ng-s3cret";

/** One line, the exit code, no stack and no password. */
async function refused(
  env: Record<string, string>,
  args: readonly string[],
  code: number,
  line: RegExp,
): Promise<void> {
  await using home = new Home();
  const result = await home.run([...args], { env });
  assert.match(result.stderr, line);
  assert.equal(result.stderr.trim().split("\n").length, 1, result.stderr);
  assert.deepEqual([result.code, result.stdout], [code, ""], result.stderr);
  assert.ok(!(result.stderr + result.stdout).includes(PASSWORD), "no password");
}

const SERVE = ["serve", "--port", "0"];

const mistakes: [what: string, database: string, line: RegExp][] = [
  [
    "an address of another kind",
    `mysql://a:${PASSWORD}@h/d`,
    /PARLEY_DATABASE: expected an address such as postgres:\/\/.*got another text$/m,
  ],
  [
    "an address that is none",
    `postgres://a:${PASSWORD}/@:x/d`,
    /expected a URL like postgres:\/\/user:password@host:5432\/database/,
  ],
  [
    "an unknown host",
    `postgres://a:${PASSWORD}@nowhere.invalid/d`,
    /there is no host of that name for the database at nowhere\.invalid:5432\/d: see the URL/,
  ],
];

for (const [what, database, line] of mistakes) {
  test(`${what} is refused in one line`, async () => {
    const env = { PARLEY_DATABASE: database, PARLEY_TOKEN: TOKEN };
    await refused(env, SERVE, 2, line);
    await refused(env, ["sessions"], 2, line);
  });
}

test("a password on the command line is refused, and not repeated", async () => {
  const env = { PARLEY_TOKEN: TOKEN };
  const line = /a password in --database is seen in every list of processes: .*PARLEY_DATABASE.*PGPASSWORD/;
  await refused(env, [...SERVE, "--database", `postgres://a:${PASSWORD}@127.0.0.1:1/d`], 2, line);
  const listen = `postgres://127.0.0.1:1/d?password=${PASSWORD}`;
  await refused(env, [...SERVE, "--database", "postgres://a@127.0.0.1:1/d", "--database-listen", listen], 2, line);
});

test("nodes have a token that is given", async () => {
  await refused(
    { PARLEY_DATABASE: "postgres://a@127.0.0.1:1/d" },
    SERVE,
    2,
    /nodes that share a database have one token, which is given, never made: set PARLEY_TOKEN or --token-file/,
  );
});

for (const [flag, value] of [
  ["--place", "a b"],
  ["--place", "a/b"],
  ["--node-name", "näme"],
  ["--node-name", "x".repeat(65)],
  ["--node-name", "a\nb"],
] as const) {
  test(`${flag} ${JSON.stringify(value).slice(0, 12)} is refused`, async () => {
    await using home = new Home();
    const result = await home.run([...SERVE, flag, value]);
    assert.match(
      result.stderr,
      new RegExp(`${flag}.*[\\s\\S]*Expected a name of up to 64 letters, digits, dots, dashes`),
    );
    assert.equal(result.code, 2);
  });
}

test("a lease that is too short is refused", async () => {
  const env = { PARLEY_DATABASE: "postgres://a@127.0.0.1:1/d", PARLEY_TOKEN: TOKEN };
  await refused(env, [...SERVE, "--node-lease", "10ms"], 2, /--node-lease: expected at least 1s/);
});

test("an older PostgreSQL is refused", async () => {
  const fake = await fakePostgres(140_011);
  try {
    const env = { PARLEY_DATABASE: `postgres://a:${PASSWORD}@127.0.0.1:${fake.port}/d`, PARLEY_TOKEN: TOKEN };
    const line = /expected PostgreSQL 15 or later at 127\.0\.0\.1:\d+\/d, got 14: upgrade it/;
    await refused(env, SERVE, 2, line);
    await refused(env, ["sessions"], 2, line);
  } finally {
    fake.close();
  }
});

describe("with a PostgreSQL", needsPostgres, () => {
  test("a refused login, an unknown database and missing rights are told in one line", async () => {
    const postgres = await sharedPostgres();
    const database = await postgres.createDatabase();
    const wrong = postgres.url(database, { password: PASSWORD });
    const login = /refused the login of user "parley": see user and password in the URL, and the server's pg_hba\.conf/;
    for (const args of [SERVE, ["sessions"], ["run", "hello"]])
      await refused({ PARLEY_DATABASE: wrong, PARLEY_TOKEN: TOKEN }, args, 2, login);
    const unknown = { PARLEY_DATABASE: postgres.url("nowhere"), PARLEY_TOKEN: TOKEN };
    await refused(unknown, SERVE, 2, /there is no database "nowhere" at .*: create it \(createdb\), or give another/);
    await postgres.sql("postgres", `CREATE USER guest PASSWORD '${PASSWORD}'`);
    const guest = {
      PARLEY_DATABASE: postgres.url(database, { user: "guest", password: PASSWORD }),
      PARLEY_TOKEN: TOKEN,
    };
    await refused(
      guest,
      SERVE,
      2,
      /user "guest" may not make tables in the database at .*GRANT CREATE ON SCHEMA public/,
    );
  });

  test("the rights of a user who did not make the tables are told, too", async () => {
    const postgres = await sharedPostgres();
    const { name, url } = await newDatabase();
    await (await openDatabase({ url })).close();
    await postgres.sql("postgres", `CREATE USER reader PASSWORD '${PASSWORD}'`);
    const env = { PARLEY_DATABASE: postgres.url(name, { user: "reader", password: PASSWORD }), PARLEY_TOKEN: TOKEN };
    const line = /user "reader" may not use Parley's tables in the database at .* \(permission denied for table meta\)/;
    await refused(env, SERVE, 2, line);
    await refused(env, ["sessions"], 2, line);
  });

  test("a schema from the future is refused", async () => {
    const postgres = await sharedPostgres();
    const { name, url } = await newDatabase();
    await (await openDatabase({ url })).close();
    await postgres.sql(name, "UPDATE meta SET value = '99'");
    const env = { PARLEY_DATABASE: url, PARLEY_TOKEN: TOKEN };
    await refused(
      env,
      SERVE,
      2,
      /was written by a newer Parley \(schema 99, .*\): run that version, or give another database/,
    );
    await refused(env, ["sessions"], 2, /was written by a newer Parley \(schema 99; .*\): run that version/);
  });

  test("a data directory that another node has is refused", async () => {
    const { env } = await newDatabase();
    await using home = new Home();
    await home.serve([], { env });
    const second = await home.run(SERVE, { env });
    assert.match(
      second.stderr,
      /^parley: a Parley \(pid \d+\) runs on \S+ already: http:\/\/127\.0\.0\.1:\d+; "\S+ console" opens it, or end that process\n$/,
    );
    assert.equal(second.code, 1);
  });

  test("the password is in no argument, no log and no agent's environment", {
    skip: !existsSync("/proc/self/cmdline"),
  }, async () => {
    for (const way of ["PARLEY_DATABASE", "PGPASSWORD"]) {
      const postgres = await sharedPostgres();
      const { url, name } = await newDatabase();
      await using home = new Home();
      const agent = home.write(
        "agent.sh",
        `#!/bin/sh\nenv > "${join(home.root, "seen")}"\nexec "${process.execPath}" "${join(process.cwd(), "bin/parley.js")}" scripted-agent\n`,
      );
      home.configure({ defaultAgent: "mine", agents: { mine: { command: ["sh", agent] } } });
      const given: Record<string, string> =
        way === "PARLEY_DATABASE"
          ? { PARLEY_DATABASE: url }
          : { PARLEY_DATABASE: url.replace(/:[^:@/]*@/, "@"), PGPASSWORD: "very secret" };
      const env = { ...given, PARLEY_TOKEN: TOKEN, PARLEY_LOG_LEVEL: "debug" };
      const { child, line } = await home.serve([], { env });
      let said = line;
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk));
      const run = await home.run(["run", "hello"], { env });
      assert.equal(run.code, 0, run.stderr);
      const commandLine = readFileSync(`/proc/${child.pid}/cmdline`, "utf8");
      await postgres.sql("postgres", `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await postgres.sql(
        "postgres",
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      const ready = await fetch(`${line}/ready`, { headers: { authorization: `Bearer ${TOKEN}` } });
      const told = await ready.text();
      assert.equal(ready.status, 503, told);
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
      const seen = readFileSync(join(home.root, "seen"), "utf8");
      assert.match(seen, /^HOME=/m);
      assert.doesNotMatch(seen, /^(PARLEY_DATABASE|PGPASSWORD|PARLEY_TOKEN)=/m);
      for (const secret of ["very secret", "very%20secret", TOKEN]) {
        for (const text of [commandLine, said, told, seen, run.stdout, run.stderr])
          assert.ok(!text.includes(secret), text);
      }
    }
  });
});
