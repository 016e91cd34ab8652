import assert from "node:assert/strict";
import { test } from "node:test";
import { type Here, type Holder, homeOf, ownerOf } from "../../src/cluster/choose.ts";
import type { NodeInfo } from "../../src/cluster/node.ts";
import type { Owner } from "../../src/gateway/door.ts";

const info = (node: number, place: string, more: Partial<NodeInfo> = {}): NodeInfo => ({
  node,
  name: `n${node}`,
  address: `http://n${node}`,
  place,
  version: "1",
  draining: false,
  leaseLeftMs: 9_000,
  ...more,
});
const nodes = [info(1, "a"), info(2, "a"), info(3, "b")];
const here = (more: Partial<Here> = {}): Here => ({ node: 1, place: "a", draining: false, nodes, ...more });
const HERE: Owner = { here: true };
const there = (node: number): Owner => ({ here: false, node: `n${node}`, address: `http://n${node}` });
const holder = (node: number, free = false): Holder => ({ node, name: `n${node}`, address: `http://n${node}`, free });

const owners: [string, string, Holder, Here, Owner | RegExp][] = [
  ["held here", "a", holder(1), here(), HERE],
  ["held by another node", "a", holder(2), here(), there(2)],
  ["held by a node whose place is another", "b", holder(2), here(), there(2)],
  ["held by a node that starts", "a", { ...holder(2), address: "" }, here(), /node n2 is starting/],
  ["free, of this place", "a", holder(2, true), here(), HERE],
  ["free, of another place", "b", holder(1, true), here(), there(3)],
  ["free, of a place without nodes", "c", holder(1, true), here(), /place c, and no node there is up \(.*: a, b\)/],
  ["free, of this place, while this node drains", "a", holder(1, true), here({ draining: true }), there(2)],
  ["free, while all of its place drain", "a", holder(1, true), here({ draining: true, nodes: [info(1, "a")] }), HERE],
];
for (const [name, place, held, at, expected] of owners)
  test(`the owner of a session: ${name}`, () => {
    if (expected instanceof RegExp)
      assert.throws(() => ownerOf("ses_1", place, held, at), { code: "unavailable", message: expected });
    else assert.deepEqual(ownerOf("ses_1", place, held, at), expected);
  });

const homes: [string, string[], string | undefined, Here, Owner | { code: string; message: RegExp }][] = [
  ["here", ["a"], undefined, here(), HERE],
  ["elsewhere", ["b"], undefined, here(), there(3)],
  ["nowhere: this node refuses it in its own words", [], undefined, here(), HERE],
  ["in two places", ["a", "b"], undefined, here(), { code: "ambiguous", message: /several places, a and b/ }],
  ["in two places, one named", ["a", "b"], "b", here(), there(3)],
  ["a place is named that has no node", [], "c", here(), { code: "unavailable", message: /no node of place c is up/ }],
  ["here, while this node drains", ["a"], undefined, here({ draining: true }), there(2)],
];
for (const [name, having, named, at, expected] of homes)
  test(`the home of a directory: ${name}`, () => {
    if ("code" in expected) assert.throws(() => homeOf("/work", having, at, named), expected);
    else assert.deepEqual(homeOf("/work", having, at, named), expected);
  });

test("a node that drains, starts or has lost its lease is not chosen while another can be", () => {
  const chosen = (...more: Partial<NodeInfo>[]): Owner =>
    ownerOf(
      "ses_1",
      "b",
      holder(1, true),
      here({ nodes: [info(1, "a"), ...more.map((one, at) => info(3 + at, "b", one))] }),
    );
  assert.deepEqual(chosen({ draining: true }, {}), there(4));
  assert.deepEqual(chosen({ draining: true }), there(3));
  assert.deepEqual(chosen({ address: "" }, {}), there(4));
  assert.deepEqual(chosen({ leaseLeftMs: -1 }, {}), there(4));
  assert.throws(() => chosen({ leaseLeftMs: -1 }), { code: "unavailable" });
});
