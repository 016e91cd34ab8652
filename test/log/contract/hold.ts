import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hold } from "../../../src/log/contract.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { type MakePlace, withLog } from "../place.ts";
import { create } from "../writers.ts";

const { completed, delta, turnEnded, turnStarted, updated } = drafts;

/** Every way to write by a hold, each of which would change the session. */
const writes: [string, (hold: Hold, last: number) => Promise<unknown>][] = [
  ["append", (hold, last) => hold.append(last, entries(updated("stale")))],
  ["repeat", (hold, last) => hold.append(last - 1, entries(drafts.ended("deleted")))],
  ["fold", (hold) => hold.fold(1000)],
  ["prune", (hold) => hold.prune(1000)],
  ["remove", (hold) => hold.remove()],
];

export function holdContract(makePlace: MakePlace): void {
  for (const [name, write] of writes) {
    for (const [how, makeStale] of [
      ["a newer hold was taken", (log, hold) => log.open(hold.session)],
      ["it was released", (_, hold) => hold.release()],
    ] as [string, (log: Parameters<typeof create>[0], hold: Hold) => Promise<unknown>][]) {
      test(`a hold is fenced for ${name} once ${how}, and changes nothing`, async () => {
        await withLog(makePlace, async (log) => {
          await create(log, "ses_a", turnStarted("t1"), delta("A", "1"), completed("A", "1"), turnEnded("t1"));
          const hold = await log.open("ses_a");
          await hold.append(5, entries(turnStarted("t2"), turnEnded("t2"), drafts.ended("deleted")));
          await makeStale(log, hold);
          const before = await readWhole(log, "ses_a");
          for (let time = 1; time <= 2; time++)
            await assert.rejects(write(hold, 8), { name: "ParleyError", code: "fenced" }, `try ${time}`);
          assert.deepEqual(await readWhole(log, "ses_a"), before);
          assert.equal((await log.head("ses_a"))?.last, 8);
          const next = await log.open("ses_a");
          assert.deepEqual(numbers(await next.append(8, entries(updated("next")))), [9]);
        });
      });
    }
  }

  test("an append that waits when a newer hold is taken is fenced, and the newer hold's head says so", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a");
      const [old, other] = [await log.open("ses_a"), await log.open({ id: "ses_b" })];
      const beside = other.append(0, entries(drafts.started()));
      const overtaken = old.append(1, entries(updated("old")));
      overtaken.catch(() => undefined);
      const next = await log.open("ses_a");
      const last = next.head?.last ?? 0;
      const appended = await next.append(last, entries(updated("next")));
      assert.deepEqual(numbers(appended), [last + 1]);
      const stored = await overtaken.then(
        () => true,
        (error) => assert.equal(error.code, "fenced"),
      );
      assert.equal(last, stored ? 2 : 1, "the head shows all that the old hold has stored");
      assert.deepEqual(numbers(await beside), [1], "another session's append in the same group is stored");
    });
  });

  test("epochs grow, and the head of a hold is the session when it was taken", async () => {
    await withLog(makePlace, async (log) => {
      const first = await log.open({ id: "ses_a" });
      assert.equal(first.head, undefined);
      await first.append(0, entries(drafts.started(), updated("x")));
      const second = await log.open("ses_a");
      assert.deepEqual(second.head, await log.head("ses_a"));
      await second.release();
      const third = await log.open("ses_a");
      assert.ok(first.epoch < second.epoch && second.epoch < third.epoch);
      assert.equal(third.session, "ses_a");
    });
  });

  test("of two holds of a new session the newer one creates it", async () => {
    await withLog(makePlace, async (log) => {
      const old = await log.open({ id: "ses_a" });
      const next = await log.open({ id: "ses_a" });
      await assert.rejects(old.append(0, entries(drafts.started())), { code: "fenced" });
      assert.deepEqual(numbers(await next.append(0, entries(drafts.started()))), [1]);
    });
  });

  test("a repeat gives the records that are stored, also in the same group and of a creation", async () => {
    await withLog(
      makePlace,
      async (log) => {
        const hold = await log.open({ id: "ses_a" });
        const heard: number[] = [];
        log.listen("ses_a", (records) => heard.push(...numbers(records)));
        const list = [{ draft: drafts.started(), native: "line" }, { draft: updated("x") }];
        const [first, again] = await Promise.all([hold.append(0, list), hold.append(0, list)]);
        assert.deepEqual(again, first);
        assert.deepEqual(await hold.append(0, list), first);
        const more = entries(updated("y"));
        const next = await hold.append(2, more);
        assert.deepEqual(await hold.append(0, list), first, "an earlier one");
        assert.deepEqual(await hold.append(2, more), next);
        assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3]);
        assert.deepEqual(heard, [1, 2, 3], "a repeat is no commit");
        assert.equal((await log.readAll({ after: 0, limit: 9 })).length, 3);
      },
      { keepNative: true },
    );
  });

  test("a release waits for the writes under way", async () => {
    await withLog(makePlace, async (log) => {
      const deltas = Array.from({ length: 1500 }, (_, n) => delta("A", `${n}`));
      await create(log, "ses_a", ...deltas, completed("A", "all"));
      const hold = await log.open("ses_a");
      const [folded, appended] = [hold.fold(1502), hold.append(1502, entries(updated("x")))];
      await hold.release();
      await Promise.all([folded, appended]);
      assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 1502, 1503]);
    });
  });

  test("a fold under way stops when a newer hold is taken, and the newer one folds the rest", async () => {
    await withLog(makePlace, async (log) => {
      const deltas = Array.from({ length: 3000 }, (_, n) => delta("A", `${n}`));
      await create(log, "ses_a", ...deltas, completed("A", "all"));
      const folding = (await log.open("ses_a")).fold(3002);
      folding.catch(() => undefined);
      const next = await log.open("ses_a");
      await assert.rejects(folding, { code: "fenced" });
      await next.fold(3002);
      assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 3002]);
    });
  });

  test("an owner is told of the unsettled sessions that it held last, and of no others", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", turnStarted("t1"));
      const ids = async (owner?: string) => (await log.unsettled(owner)).map((state) => state.id);
      assert.deepEqual(await ids(log.owner), ["ses_a"]);
      assert.deepEqual(await ids(), ["ses_a"]);
      assert.deepEqual(await ids(`not ${log.owner}`), []);
      await (await log.open("ses_a")).release();
      assert.deepEqual(await ids(log.owner), ["ses_a"], "held last, though no longer");
    });
  });
}
