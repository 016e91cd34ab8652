import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { EventRecord } from "../../src/log/contract.ts";
import { followsOn } from "../../src/log/cursor.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import { type SalvageReport, salvage } from "../../src/log/sqlite/salvage/salvage.ts";
import { Random } from "../support/random.ts";
import { fillLog, SESSIONS, spoil } from "./damaged.ts";
import { readWhole } from "./drafts.ts";
import { makeDirectory } from "./sqlite-place.ts";

const ROUNDS = 60;

describe("the salvage of a damaged log", () => {
  let home = "";
  const original = new Map<string, EventRecord[]>();
  let file = Buffer.alloc(0);

  before(async () => {
    home = await makeDirectory();
    const source = path.join(home, "source");
    await fillLog(source);
    file = readFileSync(path.join(source, "parley.db"));
    for (const [id, records] of await contents(source)) original.set(id, records);
  });
  after(() => rm(home, { recursive: true, force: true }));

  async function contents(directory: string): Promise<Map<string, EventRecord[]>> {
    const log = await openSqliteLog({ directory, sync: "process", report: () => undefined });
    try {
      const found = new Map<string, EventRecord[]>();
      for (const id of [...SESSIONS, "ses_gone"]) found.set(id, (await log.head(id)) ? await readWhole(log, id) : []);
      return found;
    } finally {
      await log.close();
    }
  }

  /** A copy, spoiled and salvaged. */
  function salvaged(
    name: string,
    count: number,
    random: Random,
  ): { places: number[]; to: string; report: SalvageReport } {
    const from = path.join(home, `${name}-from`);
    const to = path.join(home, `${name}-to`);
    for (const directory of [from, to]) {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(directory);
    }
    copyFileSync(path.join(home, "source", "parley.db"), path.join(from, "parley.db"));
    const places = spoil(from, count, random);
    return { places, to, report: salvage(path.join(from, "parley.db"), to, 1_000) };
  }

  /** Whether a row's own bytes were touched. A long row lies on several pages, which this does not follow. */
  function mayBeTouched(record: EventRecord, places: readonly number[]): boolean {
    const json = Buffer.from(record.json);
    let at = file.indexOf(json);
    if (at < 0) return true;
    // A row that was folded has an old copy, too.
    for (; at >= 0; at = file.indexOf(json, at + 1))
      if (places.some((place) => place > at - 120 && place < at + json.length + 120)) return true;
    return false;
  }

  test("an untouched log is the same afterwards, and what was deleted stays so", async () => {
    const { to, report } = salvaged("whole", 0, new Random(0));
    assert.deepEqual({ lost: report.lost, losses: report.losses }, { lost: 0, losses: [] });
    assert.deepEqual(await contents(to), original);
    assert.ok(!readFileSync(path.join(to, "parley.db")).includes("a secret that was deleted"));
  });

  test(`with spoiled bytes, ${ROUNDS} times, every untouched event is found and every other is named`, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const { places, to, report } = salvaged("spoiled", 1 + (round % 24), new Random(round));
      const found = await contents(to);
      for (const [id, records] of original) {
        const kept = new Map(found.get(id)?.map((record) => [record.seq, record]));
        const lost = report.losses.find(({ session }) => session === id)?.lost ?? [];
        for (const record of records) {
          const saved = kept.get(record.seq);
          if (saved) assert.equal(saved.json, record.json, `round ${round}`);
          else {
            assert.ok(mayBeTouched(record, places), `round ${round}: ${id}:${record.seq} was not touched, but is lost`);
            const last = records.at(-1)?.seq === record.seq;
            const named = lost.some(({ from, to }) => from <= record.seq && record.seq <= to);
            assert.ok(named || last, `round ${round}: ${id}:${record.seq} is lost, and nobody says so`);
          }
        }
        if (lost.length === 0 && kept.size > 0) assertWhole(found.get(id) ?? [], round);
      }
    }
  });

  function assertWhole(records: readonly EventRecord[], round: number): void {
    for (const [at, record] of records.entries()) {
      const before = records[at - 1];
      if (before) assert.ok(followsOn(before.seq, record), `round ${round}: a hole before ${record.seq} is not named`);
    }
  }
});
