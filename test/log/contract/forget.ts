import assert from "node:assert/strict";
import { test } from "node:test";
import { askKey, promptKey } from "../../../src/core/events/keys.ts";
import type { Log } from "../../../src/log/contract.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { inPlace, type MakePlace, withLog } from "../place.ts";
import { append, create, fold, prune, remove } from "../writers.ts";

/** Numbers with what is folded before them. */
const shape = async (log: Log, session: string) =>
  (await readWhole(log, session)).map(({ seq, folded }) => (folded > 0 ? `${seq}-${folded}` : `${seq}`)).join(" ");

const { delta, completed, turnStarted, turnEnded, queued, updated } = drafts;

export function forgetContract(makePlace: MakePlace): void {
  test("folding drops the deltas of completed items only, and says what is gone", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", delta("A", "1"), delta("B", "2"), delta("A", "3"), completed("A", "13"));
      await append(log, "ses_a", entries(delta("B", "4"), updated("t"), completed("B", "24"), delta("C", "5")));
      await fold(log, "ses_a", 4);
      assert.equal(await shape(log, "ses_a"), "1 2 3 4 5 6 7 8 9", "A's completion lies after the limit");
      await fold(log, "ses_a", 5);
      assert.equal(await shape(log, "ses_a"), "1 3-1 5-1 6 7 8 9");
      await fold(log, "ses_a", 5);
      assert.equal(await shape(log, "ses_a"), "1 3-1 5-1 6 7 8 9", "folding again changes nothing");
      await fold(log, "ses_a", 1000);
      assert.equal(await shape(log, "ses_a"), "1 5-3 7-1 8 9");
      await append(log, "ses_a", entries(completed("C", "5")));
      await fold(log, "ses_a", 1000);
      assert.equal(await shape(log, "ses_a"), "1 5-3 7-1 8 10-1");
      assert.equal((await log.head("ses_a"))?.last, 10);
    });
  });

  test("a long turn folds to its content while others append", async () => {
    await withLog(makePlace, async (log) => {
      const deltas = Array.from({ length: 3000 }, (_, n) => delta("A", `${n}`));
      await create(log, "ses_a", ...deltas, completed("A", "all"));
      const folding = fold(log, "ses_a", 3002);
      await Promise.all([folding, create(log, "ses_b"), append(log, "ses_a", entries(updated("t")))]);
      assert.equal(await shape(log, "ses_a"), "1 3002-3000 3003");
      assert.deepEqual(
        await log.read("ses_a", { after: 1500, limit: 1 }),
        await log.read("ses_a", { after: 1, limit: 1 }),
      );
    });
  });

  test("folding or forgetting a session that has no event yet does nothing", async () => {
    await withLog(makePlace, async (log) => {
      const hold = await log.open({ id: "ses_new" });
      await hold.fold(10);
      await hold.prune(10);
      await hold.remove();
      assert.deepEqual(numbers(await hold.append(0, entries(drafts.started()))), [1]);
    });
  });

  test("pruning keeps whole turns and the state before them", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", updated("first"), turnStarted("t1", "m1"), queued("m2"), turnEnded("t1"));
      const atBoundary = (await log.head("ses_a"))?.state;
      await append(log, "ses_a", entries(turnStarted("t2", "m2"), turnEnded("t2"), updated("last")));
      const head = await log.head("ses_a");
      await prune(log, "ses_a", 8);
      assert.deepEqual(numbers(await readWhole(log, "ses_a")), [6, 7, 8]);
      assert.deepEqual(await log.base("ses_a"), { first: 6, state: atBoundary });
      assert.deepEqual(await log.head("ses_a"), { ...head, first: 6 });
      assert.equal(await log.find("ses_a", promptKey("m1")), undefined);
      assert.equal((await log.find("ses_a", promptKey("m2")))?.seq, 6, "found by its turn, which is kept");
      assert.deepEqual(numbers(await log.readAll({ after: 0, limit: 10 })), [6, 7, 8]);
      assert.deepEqual(numbers(await append(log, "ses_a", entries(updated("more")))), [9]);
    });
  });

  test("pruning again goes on from the base", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", turnStarted("t1"), turnEnded("t1"), turnStarted("t2"), turnEnded("t2"));
      await append(log, "ses_a", entries(turnStarted("t3"), turnEnded("t3")));
      await prune(log, "ses_a", 5);
      assert.equal((await log.base("ses_a"))?.first, 4);
      await prune(log, "ses_a", 4);
      assert.equal((await log.base("ses_a"))?.first, 4, "no turn lies before");
      await prune(log, "ses_a", 1000);
      const base = await log.base("ses_a");
      assert.equal(base?.first, 6);
      assert.equal(base?.state.turns, 2);
      assert.equal(base?.state.usage.tokens?.output, 4);
      assert.equal((await log.head("ses_a"))?.state.turns, 3);
    });
  });

  test("a session without a turn before the number is left alone", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", updated("x"), turnStarted("t1"));
      await prune(log, "ses_a", 2);
      assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3]);
      assert.equal(await log.base("ses_a"), undefined);
    });
  });

  test("a removed session leaves only the word of its end", async () => {
    await inPlace(makePlace, async (place) => {
      const log = await place.open();
      await create(log, "ses_b");
      await create(log, "ses_a", drafts.asked("per_1"), delta("A", "1"));
      await assert.rejects(remove(log, "ses_a"), { code: "invalid" }, "its end has not been said");
      await append(log, "ses_a", entries(drafts.ended("deleted")));
      await remove(log, "ses_a");
      await remove(log, "ses_a");
      const check = async (now: Log) => {
        assert.equal(await now.head("ses_a"), undefined);
        assert.equal(await now.base("ses_a"), undefined);
        assert.deepEqual(
          (await now.list({ limit: 10 })).map((state) => state.id),
          ["ses_b"],
        );
        assert.deepEqual(await now.unsettled(), []);
        assert.equal(await now.locate(askKey("per_1")), undefined);
        const all = await now.readAll({ after: 0, limit: 10 });
        assert.deepEqual(
          all.map((record) => `${record.session}:${record.seq}:${record.type}`),
          ["ses_b:1:session.started", "ses_a:4:session.ended"],
        );
        assert.equal(await now.position(), all.at(-1)?.position);
        await assert.rejects(append(now, "ses_a", entries(updated("x"))), { code: "session_not_found" });
        await assert.rejects(create(now, "ses_a"), { code: "invalid" });
      };
      await check(log);
      await log.close();
      const again = await place.open();
      await check(again);
      await again.close();
    });
  });
}
