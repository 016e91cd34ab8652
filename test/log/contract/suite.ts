import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { drafts, entries, numbers } from "../drafts.ts";
import { inPlace, type MakePlace, withLog } from "../place.ts";
import { append, create } from "../writers.ts";
import { appendContract } from "./append.ts";
import { forgetContract } from "./forget.ts";
import { holdContract } from "./hold.ts";
import { rangesContract } from "./ranges.ts";
import { readContract } from "./read.ts";
import { searchContract } from "./search.ts";
import { spentContract } from "./spent.ts";

/** The tests that every log passes, whatever engine it has. */
export function logContract(name: string, makePlace: MakePlace): void {
  describe(`${name} as a log`, () => {
    appendContract(makePlace);
    holdContract(makePlace);
    readContract(makePlace);
    rangesContract(makePlace);
    forgetContract(makePlace);
    spentContract(makePlace);
    searchContract(makePlace);

    test("all is there after closing and opening again, and numbering goes on", async () => {
      await inPlace(makePlace, async (place) => {
        const before = await place.open();
        await create(before, "ses_a");
        await before.close();
        const after = await place.open();
        assert.equal((await after.head("ses_a"))?.last, 1);
        const position = await after.position();
        assert.equal(position, (await after.readAll({ after: 0, limit: 9 })).at(-1)?.position);
        assert.deepEqual(numbers(await append(after, "ses_a", entries(drafts.updated("t")))), [2]);
        assert.ok((await after.position()) > position);
        await after.close();
      });
    });

    test("closing stores what waits, and later calls are refused", async () => {
      await inPlace(makePlace, async (place) => {
        const log = await place.open();
        const hold = await log.open({ id: "ses_a" });
        const waiting = hold.append(0, entries(drafts.started()));
        await log.close();
        assert.equal((await waiting).length, 1);
        await assert.rejects(log.head("ses_a"), { code: "shutting_down" });
        await assert.rejects(log.open("ses_a"), { code: "shutting_down" });
        await assert.rejects(hold.append(1, entries(drafts.updated("x"))), { code: "shutting_down" });
        await assert.rejects(hold.fold(1), { code: "shutting_down" });
        await log.close();
      });
    });

    test("a check succeeds on a good disk", async () => {
      await withLog(makePlace, (log) => log.check());
    });
  });
}
