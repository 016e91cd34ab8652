import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { takeGroup, type Waiting } from "../../../src/log/postgres/take-group.ts";
import { drafts, entries } from "../drafts.ts";

const waiting = (session: string, after: number, events = 1, weight = 1): Waiting => ({
  right: { session, epoch: 1, since: 0, create: undefined },
  after,
  entries: entries(...Array.from({ length: events }, () => drafts.updated("x"))),
  weight,
});

const MB = 1024 * 1024;
const written = (one: Waiting): Waiting => ({ ...one, texts: new Map() });

for (const [what, queue, expected] of [
  [
    "one append of each session",
    [waiting("a", 0), waiting("b", 0), waiting("a", 1), waiting("c", 0)],
    ["a0", "b0", "c0"],
  ],
  [
    "no more events than a statement takes, about",
    [waiting("a", 0, 999), waiting("b", 0, 999), waiting("c", 0)],
    ["a0", "b0"],
  ],
  ["no more characters", [waiting("a", 0, 1, 2 * MB - 1), waiting("b", 0, 1, 5)].map(written), ["a0", "b0"]],
  ["a heavy one alone, when it is written", [written(waiting("a", 0, 1, 9 * MB)), waiting("b", 0)], ["a0"]],
  [
    "no heavy one that is not written yet",
    [waiting("b", 0), waiting("a", 0, 1, 2 * MB), waiting("a", 1), waiting("c", 0)],
    ["b0", "c0"],
  ],
  ["nothing of nothing", [], []],
] as const) {
  test(`a group has ${what}`, () => {
    const { group } = takeGroup(queue);
    assert.deepEqual(
      group.map(({ right, after }) => right.session + after),
      expected,
    );
  });
}

test("all are taken sooner or later, those of a session in their order, one in each group", () => {
  const one = fc.record({ session: fc.constantFrom("a", "b", "c"), events: fc.nat(700), weight: fc.nat(3 * MB) });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 20 }), (list) => {
      let queue = list.map(({ session, events, weight }, at) => written(waiting(session, at, events, weight)));
      const taken: string[] = [];
      while (queue.length > 0) {
        const { group, left } = takeGroup(queue);
        assert.ok(group.length > 0 && group.length + left.length === queue.length);
        assert.equal(new Set(group.map(({ right }) => right.session)).size, group.length);
        taken.push(...group.map(({ right, after }) => `${right.session}${after}`));
        queue = left;
      }
      for (const session of ["a", "b", "c"]) {
        const order = list.flatMap((item, at) => (item.session === session ? [`${session}${at}`] : []));
        assert.deepEqual(
          taken.filter((name) => name.startsWith(session)),
          order,
        );
      }
    }),
  );
});
