import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { failed, isOver, type Lease, mayDeclare, newLease, renewed } from "../../src/cluster/lease.ts";

const LENGTH = 10_000;

test("a lease is over its length after the last renewal was sent, not after it was answered", () => {
  const lease = renewed(newLease(0, LENGTH), 3_000);
  assert.equal(isOver(lease, 12_999), false);
  assert.equal(isOver(lease, 13_000), true);
});

/** Renewals at these times; a negative one failed. */
const after = (times: readonly number[]): Lease =>
  times.reduce((lease, at) => (at < 0 ? failed(lease) : renewed(lease, at)), newLease(0, LENGTH));

const rows: [string, readonly number[], number, boolean][] = [
  ["a new node may not", [], 1_000, false],
  ["a node whose renewals succeeded for a lease may", [3_000, 6_000, 9_000, 12_000], 12_000, true],
  ["not before a whole lease", [3_000, 6_000, 9_000], 9_999, false],
  ["a failure begins the time anew", [3_000, 6_000, -9_000, 12_000], 13_000, false],
  ["a lease after the failure is enough", [3_000, -6_000, 9_000, 12_000, 15_000, 18_000], 19_000, true],
  ["a process that was stopped may not when it wakes", [3_000, 6_000, 9_000, 12_000, 40_000], 40_001, false],
  ["its own lease must run", [3_000, 6_000, 9_000, 12_000], 22_000, false],
];
for (const [name, times, now, expected] of rows)
  test(`declaring others dead: ${name}`, () => assert.equal(mayDeclare(after(times), now), expected));

test("whoever may declare others dead has renewed without a break for a whole lease", () => {
  const step = fc.record({ wait: fc.integer({ min: 1, max: 15_000 }), ok: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 0, max: 15_000 }), (steps, wait) => {
      let lease = newLease(0, LENGTH);
      let now = 0;
      let since: number | undefined = 0;
      let last = 0;
      for (const { wait: pause, ok } of steps) {
        now += pause;
        lease = ok ? renewed(lease, now) : failed(lease);
        if (!ok) since = undefined;
        else if (since === undefined || now - last >= LENGTH) since = now;
        if (ok) last = now;
      }
      now += wait;
      const proper = since !== undefined && now - since >= LENGTH && now - last < LENGTH;
      assert.equal(mayDeclare(lease, now), proper);
    }),
  );
});
