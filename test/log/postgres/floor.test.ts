import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFloor } from "../../../src/log/postgres/floor.ts";

/** What happens in a database: an append takes an id, ends at some time, and passes come at any moment. */
type Step = { do: "append" | "pass"; which?: never } | { do: "commit" | "roll back"; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ do: "append" } as const),
  fc.constant({ do: "pass" } as const),
  fc.record({ do: fc.constantFrom("commit", "roll back"), which: fc.nat(5) }) as fc.Arbitrary<Step>,
);

test("nothing at or below the floor is ever left to order, however late an append commits", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const floor = createFloor();
      let xid = 0;
      let position = 0;
      let id = 0;
      const underWay: { xid: number; id: number }[] = [];
      let queue: number[] = [];
      for (const current of steps) {
        if (current.do === "append") underWay.push({ xid: ++xid, id: ++id });
        else if (current.do === "pass") {
          // As order_v1: the newest id, then the snapshot, then the rows, which give it a transaction number.
          const newest = id;
          const ended = Math.min(xid + 1, ...underWay.map((one) => one.xid));
          const taken = queue.filter((one) => one > floor.value());
          assert.deepEqual(taken, queue, "the floor hides a row");
          queue = [];
          floor.learn({ newest, until: taken.length > 0 ? ++xid : null, ended, position: ++position }, floor.value());
        } else {
          const [one] = underWay.splice((current.which ?? 0) % Math.max(1, underWay.length), 1);
          if (one && current.do === "commit") queue.push(one.id);
        }
        for (const one of underWay) assert.ok(one.id > floor.value(), "an append that may still commit");
      }
    }),
    { numRuns: 2000 },
  );
});

test("the floor rises once the appends before it have ended", () => {
  const floor = createFloor();
  floor.learn({ newest: 5, until: 100, ended: 90, position: 1 }, 0);
  assert.equal(floor.value(), 0);
  floor.learn({ newest: 8, until: null, ended: 99, position: 2 }, 0);
  assert.equal(floor.value(), 0);
  floor.learn({ newest: 9, until: 120, ended: 101, position: 3 }, 0);
  assert.equal(floor.value(), 5);
});

test("a database that lost its end has rows below the floor again: positions step back", () => {
  const floor = createFloor();
  floor.learn({ newest: 5, until: 100, ended: 90, position: 10 }, 0);
  floor.learn({ newest: 8, until: 110, ended: 100, position: 12 }, 0);
  assert.equal(floor.value(), 5);
  floor.learn({ newest: 7, until: 105, ended: 95, position: 11 }, 5);
  assert.equal(floor.value(), 0);
});

test("all rows are looked at now and then", () => {
  let now = 0;
  const floor = createFloor(() => now);
  floor.learn({ newest: 5, until: 100, ended: 90, position: 1 }, 0);
  floor.learn({ newest: 8, until: 110, ended: 100, position: 2 }, 0);
  now = 59_999;
  assert.deepEqual([floor.value(), floor.due()], [5, false]);
  now = 60_000;
  assert.deepEqual([floor.value(), floor.due()], [0, true]);
  floor.learn({ newest: 9, until: 120, ended: 105, position: 3 }, 0);
  assert.deepEqual([floor.value(), floor.due()], [5, false]);
});
