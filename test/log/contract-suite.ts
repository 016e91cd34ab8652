import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appendContract } from "./contract-append.ts";
import { forgetContract } from "./contract-forget.ts";
import { readContract } from "./contract-read.ts";
import { create } from "./drafts.ts";
import { inPlace, type MakePlace, withLog } from "./place.ts";

/** What every log must do, whatever it is built on. */
export function logContract(name: string, makePlace: MakePlace): void {
  describe(`${name} as a log`, () => {
    appendContract(makePlace);
    readContract(makePlace);
    forgetContract(makePlace);

    test("all is there after closing and opening again, and numbering goes on", async () => {
      await inPlace(makePlace, async (place) => {
        const before = await place.open();
        await create(before, "ses_a");
        await before.close();
        const after = await place.open();
        assert.equal((await after.head("ses_a"))?.last, 1);
        assert.equal(await after.position(), 1);
        const [record] = await after.append("ses_a", [
          { draft: { type: "session.updated", time: 2, source: "agent", data: { title: "t" } } },
        ]);
        assert.equal(record?.seq, 2);
        assert.equal(record?.position, 2);
        await after.close();
      });
    });

    test("closing stores what waits, and later calls are refused", async () => {
      await inPlace(makePlace, async (place) => {
        const log = await place.open();
        const waiting = create(log, "ses_a");
        await log.close();
        assert.equal((await waiting).length, 1);
        await assert.rejects(log.head("ses_a"), { code: "shutting_down" });
        await assert.rejects(create(log, "ses_b"), { code: "shutting_down" });
        await log.close();
      });
    });

    test("a check succeeds on a good disk", async () => {
      await withLog(makePlace, (log) => log.check());
    });
  });
}
