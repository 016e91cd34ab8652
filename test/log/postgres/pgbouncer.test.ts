import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { needsPgbouncer, startPgbouncer } from "../../support/pgbouncer.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { follow, some, upTo } from "../probe.ts";
import { append, create, fold } from "../writers.ts";
import { cluster, openNode } from "./place.ts";

describe("behind a pgbouncer in transaction mode", needsPgbouncer, () => {
  test("a start makes the schema, and nodes write, fold, fence and follow, with fewer connections than they have lines", async (t) => {
    const server = await sharedPostgres();
    await using bouncer = await startPgbouncer(server, 3);
    const name = await server.createDatabase();
    const url = server.url(name, { port: bouncer.port });
    const listenUrl = server.url(name);
    const [a, b] = [
      await openNode({ url, listenUrl, directory: "a" }),
      await openNode({ url, listenUrl, directory: "b" }),
    ];
    t.after(() => Promise.all([a.log.close(), b.log.close()]).then(() => undefined));
    await create(a.log, "ses_a");
    const [one, all] = [follow(b.log, { session: "ses_a", after: 0 }), follow(b.log, { session: null, after: 0 })];
    const others = upTo(20).map((n) => `ses_${n}`);
    await Promise.all(others.map((id, n) => create((n % 2 ? a : b).log, id, ...some(5))));
    for (let n = 0; n < 20; n++) await append(a.log, "ses_a", entries(...some(3)));
    await append(a.log, "ses_a", entries(drafts.completed("A", "all")));
    await Promise.all([one.has(62), all.has(62 + 120)]);
    assert.deepEqual(numbers(one.records), upTo(62));
    assert.ok(b.log.stats().hintsUp, "LISTEN has its own way");
    await fold(a.log, "ses_a", 62);
    assert.deepEqual(numbers(await readWhole(b.log, "ses_a")), [1, 62]);
    await assert.rejects(b.log.open("ses_a"), { code: "wrong_node" });
    await (await a.log.open("ses_a")).release();
    assert.deepEqual(numbers(await (await b.log.open("ses_a")).append(62, entries(drafts.updated("b")))), [63]);
    for (const probe of [one, all]) probe.tail.close();
  });

  test("without a URL of its own for LISTEN a node notices that no hint comes, and finds all by looking", async (t) => {
    const nodes = await cluster(t);
    const bouncer = await startPgbouncer(nodes.server, 3);
    t.after(() => bouncer[Symbol.asyncDispose]());
    const url = nodes.server.url(nodes.name, { port: bouncer.port });
    const [a, b] = [await nodes.node("a"), await nodes.node("b", { url })];
    await create(a.log, "ses_a");
    await create(b.log, "ses_b");
    const probe = follow(b.log, { session: "ses_a", after: 0 });
    await append(a.log, "ses_a", entries(drafts.updated("x")));
    await probe.has(2);
    await eventually("it knows", () => !b.log.stats().hintsUp);
    await append(a.log, "ses_a", entries(drafts.updated("y")));
    await probe.has(3);
    probe.tail.close();
  });
});
