import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesTable } from "../../src/cli/nodes/list.ts";
import type { ParleyNode } from "../../src/client/index.ts";
import { Home } from "./support.ts";

const node = (name: string, more: Partial<ParleyNode> = {}): ParleyNode => ({
  node: 1,
  name,
  self: false,
  address: `http://${name}.example:7420`,
  place: "box",
  version: "0.1.0",
  draining: false,
  leaseLeftMs: 9_400,
  ...more,
});

test("nodes are listed by name, with their leases and states", () => {
  const nodes = [
    node("c", { leaseLeftMs: -20 }),
    node("b", { self: true, draining: true, place: "disk-1" }),
    node("a", { node: 4 }),
    node("a", { node: 2, address: "" }),
  ];
  assert.equal(
    nodesTable(nodes),
    [
      "NAME  PLACE   ADDRESS                VERSION  LEASE  STATE",
      "a     box     -                      0.1.0    10s    starting",
      "a     box     http://a.example:7420  0.1.0    10s    up",
      "b *   disk-1  http://b.example:7420  0.1.0    10s    draining",
      "c     box     http://c.example:7420  0.1.0    -      lease over",
      "",
    ].join("\n"),
  );
});

const ALONE =
  "parley: this server is alone with its data directory: --database (PARLEY_DATABASE) makes it one of several nodes";

test("a server without a database says that it is alone", async () => {
  await using home = new Home();
  await home.serve();
  const listed = await home.run(["nodes"]);
  assert.deepEqual([listed.code, listed.stdout, listed.stderr], [0, "", `${ALONE}\n`]);
  const json = await home.run(["nodes", "--json"]);
  assert.deepEqual([json.code, json.stdout], [0, "[]\n"]);
  const drained = await home.run(["nodes", "drain", "a"]);
  assert.deepEqual([drained.code, drained.stderr], [1, `${ALONE}; to end it, stop it\n`]);
});

test("without a server and without a database there is nothing to list, and nothing to drain", async () => {
  await using home = new Home();
  const listed = await home.run(["nodes"]);
  assert.equal(listed.code, 0);
  assert.match(listed.stderr, /^parley: no server runs here, and no database is configured: --database .*\n$/);
  const drained = await home.run(["nodes", "drain", "a"]);
  assert.equal(drained.code, 1);
  assert.match(drained.stderr, /^parley: no server runs on .*: run it where one of the nodes is\n$/);
});
