import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FoldRow, planFold } from "../../src/log/fold-plan.ts";

const delta = (seq: number, item: string, folded = 0): FoldRow => ({ seq, type: "item.delta", item, folded });
const other = (seq: number, folded = 0): FoldRow => ({ seq, type: "turn.status", item: null, folded });

test("runs are dropped whole and the row after them carries the count", () => {
  const rows = [other(1), delta(2, "A"), delta(3, "A"), other(4), delta(5, "A"), delta(6, "B"), delta(7, "A")];
  const plan = planFold(rows, (item) => (item === "A" ? 9 : undefined));
  assert.deepEqual(plan, {
    drop: [
      { from: 2, to: 3 },
      { from: 5, to: 5 },
      { from: 7, to: 7 },
    ],
    raise: [
      { seq: 4, by: 2 },
      { seq: 6, by: 1 },
    ],
    carry: 1,
    kept: 6,
  });
});

test("a dropped row hands on what it carried itself", () => {
  const plan = planFold([delta(6, "A", 3), other(7, 0)], () => 8);
  assert.deepEqual(plan.raise, [{ seq: 7, by: 4 }]);
});

test("a delta after its item's completion stays", () => {
  assert.deepEqual(
    planFold([delta(6, "A")], () => 5),
    { drop: [], raise: [], carry: 0, kept: 6 },
  );
});

test("any way of slicing, in any number of folds, gives the same rows", () => {
  const items = ["A", "B", "C"] as const;
  const arrange = {
    order: fc.array(fc.constantFrom(...items, "-"), { minLength: 1, maxLength: 60 }),
    slices: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 60 }),
    folds: fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 6 }),
  };
  fc.assert(
    fc.property(fc.record(arrange), ({ order, slices, folds }) => {
      // The last row is no delta: an item's completion always follows its deltas.
      let rows = [
        ...order.map((what, n) => (what === "-" ? other(n + 1) : delta(n + 1, what))),
        other(order.length + 1),
      ];
      const done = new Set<string>();
      for (const item of folds) {
        done.add(item);
        rows = foldInSlices(rows, slices, (name) => (done.has(name) ? order.length + 1 : undefined));
        let previous = 0;
        for (const row of rows) {
          assert.equal(row.folded, row.seq - previous - 1);
          assert.ok(row.item === null || !done.has(row.item));
          previous = row.seq;
        }
      }
    }),
    { numRuns: 300 },
  );
});

function foldInSlices(rows: FoldRow[], sizes: number[], completedAt: (item: string) => number | undefined): FoldRow[] {
  let table = rows.map((row) => ({ ...row }));
  let from = 0;
  for (let n = 0; ; n++) {
    const slice = table.filter((row) => row.seq > from).slice(0, sizes[n % sizes.length]);
    const last = slice.at(-1);
    if (!last) return table;
    const plan = planFold(slice, completedAt);
    table = table.filter((row) => !plan.drop.some((run) => run.from <= row.seq && row.seq <= run.to));
    const raise = [...plan.raise];
    const next = table.find((row) => row.seq > last.seq);
    if (plan.carry > 0 && next) raise.push({ seq: next.seq, by: plan.carry });
    for (const { seq, by } of raise) for (const row of table) if (row.seq === seq) row.folded += by;
    from = last.seq;
  }
}
