import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isOfInstance, limitFor, numberOf, numbersIn, parseLimits, RUNS } from "../../../src/host/marks/limit-mark.ts";

const UNLIMITED = { soft: undefined, hard: undefined };
const instance = fc.string();
const run = fc.integer({ min: 0, max: RUNS - 1 });

/** As the system would show it. */
function shown(soft: bigint | undefined, hard: bigint | undefined): string {
  const column = (value: bigint | undefined): string => String(value ?? "unlimited").padEnd(20);
  return `Limit                     Soft Limit           Hard Limit           Units     
Max address space         unlimited            unlimited            bytes     
Max file locks            ${column(soft)} ${column(hard)} locks     
Max pending signals       15382                15382                signals   
`;
}

test("a number set as a limit is read again, and names its instance", () => {
  fc.assert(
    fc.property(instance, run, (name, at) => {
      const number = numberOf(name, at);
      const limit = limitFor(number, UNLIMITED);
      assert.ok(limit);
      const read = parseLimits(shown(limit.soft, limit.hard));
      assert.deepEqual(read, limit);
      assert.deepEqual(numbersIn(limit), [number]);
      assert.ok(isOfInstance(number, name));
      // Shells and tools read it as a signed number of 64 bits.
      assert.ok((limit.hard ?? 0n) < 2n ** 63n);
    }),
  );
});

test("two instances, or two runs of one, have two numbers", () => {
  fc.assert(
    fc.property(instance, run, instance, run, (a, i, b, j) => {
      fc.pre(a !== b);
      assert.equal(isOfInstance(numberOf(a, i), b), false);
      if (i !== j) assert.notEqual(numberOf(a, i), numberOf(a, j));
    }),
  );
});

test("a Parley inside an agent of another adds its number to the other's and raises nothing", () => {
  fc.assert(
    fc.property(instance, run, instance, run, (a, i, b, j) => {
      const outer = limitFor(numberOf(a, i), UNLIMITED);
      assert.ok(outer);
      const inner = limitFor(numberOf(b, j), outer);
      assert.ok(inner);
      assert.deepEqual(numbersIn(inner), [numberOf(a, i), numberOf(b, j)]);
      assert.equal(inner.hard, outer.hard);
      assert.ok((inner.soft ?? 0n) < (inner.hard ?? 0n));
      assert.equal(limitFor(numberOf("third", 1), inner), undefined, "there is no room for a third");
    }),
  );
});

test("a limit that somebody else has set is no mark and is left as it is", () => {
  for (const value of [0n, 1024n, 2n ** 61n - 1n, 2n ** 63n, 2n ** 64n - 2n]) {
    const limit = { soft: value, hard: value };
    assert.deepEqual(numbersIn(limit), []);
    assert.equal(limitFor(numberOf("a", 1), limit), undefined);
  }
  assert.deepEqual(numbersIn(UNLIMITED), []);
  assert.equal(parseLimits("nothing of the kind"), undefined);
});
