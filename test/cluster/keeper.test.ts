import assert from "node:assert/strict";
import { test } from "node:test";
import { type Here, keeperOf } from "../../src/cluster/choose.ts";
import type { NodeInfo } from "../../src/cluster/node.ts";

function info(node: number, more: Partial<NodeInfo> = {}): NodeInfo {
  const address = `http://node-${node}`;
  return {
    node,
    name: `node-${node}`,
    address,
    place: "a",
    version: "1",
    draining: false,
    leaseLeftMs: 5_000,
    ...more,
  };
}

const here = (node: number, nodes: NodeInfo[]): Here => ({ node, place: "a", draining: false, nodes });
const at = (node: number): object => ({ here: false, node: `node-${node}`, address: `http://node-${node}` });
const HERE = { here: true };

const cases: [name: string, place: string, view: Here, expected: object][] = [
  ["the oldest node", "a", here(2, [info(1), info(2)]), at(1)],
  ["the oldest node, by itself", "a", here(1, [info(1), info(2)]), HERE],
  ["the oldest node, before it has read its own address", "a", here(1, [info(1, { address: "" }), info(2)]), HERE],
  ["no node whose lease is over", "a", here(2, [info(1, { leaseLeftMs: -1 }), info(2)]), HERE],
  ["no node that drains, where there is another", "a", here(1, [info(1, { draining: true }), info(2)]), at(2)],
  ["a node of another place", "b", here(1, [info(1), info(2, { place: "b" }), info(3, { place: "b" })]), at(2)],
];
for (const [name, place, view, expected] of cases)
  test(`the keeper of a place: ${name}`, () => assert.deepEqual(keeperOf(place, view), expected));

test("the keeper of a place: a place without nodes has none", () => {
  assert.throws(() => keeperOf("b", here(1, [info(1)])), { code: "unavailable", message: /no node of place b is up/ });
});
