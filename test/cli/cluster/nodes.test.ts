import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { createClient, type ParleyNode } from "../../../src/client/index.ts";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres } from "../../support/postgres.ts";
import { finished } from "../support.ts";
import { Home, newDatabase, TOKEN } from "./support.ts";

describe("parley nodes", needsPostgres, () => {
  test("lists all nodes on any of them, and drains one after the other", async () => {
    const { env } = await newDatabase();
    await using one = new Home();
    await using two = new Home();
    const served = (home: Home, name: string) => home.serve(["--node-name", name, "--place", "box"], { env });
    const [first, second] = [await served(one, "a"), await served(two, "b")];
    const listed = await one.run(["nodes", "--json"], { env });
    const nodes = JSON.parse(listed.stdout) as ParleyNode[];
    assert.deepEqual(
      nodes.map(({ name, self, place, address, draining }) => ({ name, self, place, address, draining })),
      [
        { name: "a", self: true, place: "box", address: first.line, draining: false },
        { name: "b", self: false, place: "box", address: second.line, draining: false },
      ],
    );
    assert.ok(nodes.every(({ leaseLeftMs }) => leaseLeftMs > 0));
    assert.match((await two.run(["nodes"], { env })).stdout, /\na +box .*\nb \* +box .*up\n$/);
    assert.equal((await one.run(["__complete", "nodes"], { env })).stdout, "a\tbox\nb\tbox\n");

    const unknown = await one.run(["nodes", "drain", "c"], { env });
    assert.deepEqual([unknown.code, unknown.stderr], [2, "parley: no node c; there are: a, b\n"]);

    const client = createClient({ url: second.line, token: TOKEN });
    const session = await client.sessions.create({ directory: two.work });
    await client.session(session).prompt("[[ask ls]]");
    await eventually("an ask", async () => (await client.asks()).length > 0);
    const exited = once(second.child, "exit");
    const drained = finished(one.start(["nodes", "drain", "b", "--wait", "--json"], { env }));
    await eventually("draining", async () =>
      (await client.nodes()).some(({ name, draining }) => name === "b" && draining),
    );
    assert.match((await one.run(["nodes"], { env })).stdout, /\nb +box .*draining\n$/, "it waits for its turn");
    const [ask] = await createClient({ url: first.line, token: TOKEN }).asks();
    assert.ok(ask);
    await createClient({ url: first.line, token: TOKEN }).session(session).answer(ask, "once");
    const { code, stdout, stderr } = await drained;
    assert.equal(code, 0, stderr);
    assert.deepEqual([code, JSON.parse(stdout)], [0, { node: "b", draining: true, gone: true }], stderr);
    assert.match(stderr, /^parley: b drains: .*\nparley: b is gone\n$/);
    assert.deepEqual(await exited, [0, null]);

    const kept = await createClient({ url: first.line, token: TOKEN }).sessions.get(session.id);
    assert.deepEqual([kept.lastEnd?.reason, kept.status], ["end_turn", "idle"]);
    const own = await one.run(["nodes", "drain", "a", "--wait"], { env });
    assert.deepEqual([own.code, own.stderr.split("\n").at(-2)], [0, "parley: a is gone"], own.stderr);
    assert.match((await one.run(["nodes"], { env })).stderr, /no node is up on this database/);
  });
});
