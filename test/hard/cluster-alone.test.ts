import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createClient } from "../../src/client/index.ts";
import { Home, newDatabase, rowsOf, TOKEN } from "../cli/cluster/support.ts";
import { finished } from "../cli/support.ts";
import { eventually } from "../support/eventually.ts";
import { needsPostgres } from "../support/postgres.ts";

const LIVING = "SELECT name FROM nodes WHERE NOT dead";

describe("commands with a database, where no server runs", needsPostgres, () => {
  test("a run is a node for as long as it lasts, and its session is read from the database", async () => {
    const { name, env } = await newDatabase();
    await using home = new Home();
    const empty = await home.run(["sessions"], { env });
    assert.deepEqual([empty.code, empty.stdout], [0, ""], empty.stderr);
    assert.match(
      (await home.run(["nodes"], { env })).stderr,
      /no node is up on this database: parley serve starts one/,
    );
    const run = await home.run(["run", "--format", "json", "hello"], { env });
    assert.equal(run.code, 0, run.stderr);
    const { session } = JSON.parse(run.stdout) as { session: string };
    assert.deepEqual(await rowsOf(name, LIVING), [], "it signed off");
    assert.ok(!existsSync(join(home.dataDir, "parley.db")), "nothing is in a file");

    const [listed] = JSON.parse((await home.run(["sessions", "--json"], { env })).stdout);
    assert.deepEqual([listed.id, listed.status], [session, "idle"]);
    const events = await home.run(["events", session.slice(-8)], { env });
    const types = events.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual([types[0], types.includes("turn.ended")], ["session.started", true]);
    assert.equal((await home.run(["events", session, "--after", "9999"], { env })).code, 2);
    const exported = await home.run(["export", session], { env });
    assert.equal(exported.stdout.trim().split("\n").length, types.length + 1);
    assert.match((await home.run(["agents"], { env })).stdout, /^scripted/m);
    assert.deepEqual(
      await rowsOf(name, "SELECT count(*)::int AS nodes FROM nodes"),
      [{ nodes: 1 }],
      "looking makes no node",
    );

    const without = await home.run(["sessions", "--json"]);
    assert.equal(without.stdout, "[]\n", "the data directory has none");
    const removed = await home.run(["sessions", "rm", session], { env });
    assert.deepEqual([removed.code, removed.stderr], [0, `removed ${session}\n`]);
    assert.equal((await home.run(["sessions", "--json"], { env })).stdout, "[]\n");
    assert.deepEqual(await rowsOf(name, LIVING), []);
  });

  test("a run that is stopped signs off, too, and closes its turn", async () => {
    const { name, env } = await newDatabase();
    await using home = new Home();
    const child = home.start(["run", "[[slow 600000]]"], { env });
    const done = finished(child);
    const STARTED = "SELECT 1 FROM events WHERE type = 'turn.started'";
    await eventually("a turn", async () => (await rowsOf(name, STARTED).catch(() => [])).length > 0);
    child.kill("SIGINT");
    assert.equal((await done).code, 130);
    assert.deepEqual(await rowsOf(name, LIVING), []);
    const [listed] = JSON.parse((await home.run(["sessions", "--json"], { env })).stdout);
    assert.equal(listed.status, "idle");
  });

  test("what another node works on is busy, its asks are listed and answered, and it is cancelled", async () => {
    const { env } = await newDatabase();
    await using there = new Home();
    await using here = new Home();
    const { line } = await there.serve(["--node-name", "there"], { env });
    const client = createClient({ url: line, token: TOKEN });
    const session = await client.sessions.create({ directory: there.work });
    await client.session(session).prompt("[[ask ls -l]]");
    await eventually("an ask", async () => (await client.asks()).length > 0);
    const asks = await here.run(["asks", session.id.slice(-8)], { env });
    assert.match(asks.stdout, new RegExp(`in ${session.id}\n.*bash[\\s\\S]*ls -l`));
    const [listed] = JSON.parse((await here.run(["sessions", "--json"], { env })).stdout);
    const [own] = JSON.parse((await there.run(["sessions", "--json"], { env })).stdout);
    assert.deepEqual([listed.id, listed.status], [session.id, own.status]);
    assert.notEqual(listed.status, "idle");
    const nodes = await here.run(["nodes"], { env });
    assert.match(nodes.stdout, /^NAME +PLACE .*\nthere +\S+ +http:\/\/127\.0\.0\.1:\d+ +\S+ +\d+s +up\n$/);
    const answered = await here.run(["answer", "per_", "allow"], { env });
    assert.deepEqual([answered.code, /^per_\w+: once$/m.test(answered.stderr)], [0, true], answered.stderr);
    await eventually("the turn has ended", async () => (await client.asks()).length === 0);
    await client.session(session).prompt("[[slow 600000]]");
    const cancelled = await here.run(["cancel", session.id], { env });
    assert.deepEqual([cancelled.code, /^cancelled trn_/m.test(cancelled.stderr)], [0, true], cancelled.stderr);
    const idle = await here.run(["cancel", session.id], { env });
    assert.match(idle.stderr, /is idle: no server runs here/);
    assert.match((await here.run(["nodes"], { env })).stdout, /\nthere +\S+ .*up\n$/, "and no other node is left");
  });
});
