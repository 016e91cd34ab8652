import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log } from "../../src/log/contract.ts";
import { drafts, entries } from "./drafts.ts";
import { withLog } from "./place.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { create } from "./writers.ts";

/** The log has stored nothing for some milliseconds: a piece is stored at once then. */
const QUIET_MS = 5;

async function quietly(use: (log: Log) => Promise<void>): Promise<void> {
  await withLog(sqlitePlace, async (log) => {
    await create(log, "ses_a");
    const since = performance.now();
    while (performance.now() - since < QUIET_MS) await nextTurn();
    await use(log);
  });
}

test("a lone piece is stored and told in the call of its append, before that settles", () =>
  quietly(async (log) => {
    const heard: string[] = [];
    const stop = log.listen("ses_a", (records) => heard.push(...records.map(({ seq }) => `told ${seq}`)));
    const held = await log.open("ses_a");
    const stored = held.append(1, entries(drafts.delta("itm_a", "piece"))).then(() => heard.push("settled"));
    assert.deepEqual(heard, ["told 2"]);
    await stored;
    assert.deepEqual(heard, ["told 2", "settled"]);
    assert.equal((await log.read("ses_a", { after: 1, limit: 5 })).length, 1);
    stop();
  }));

test("appends settle in the order of their calls, also when the log is closed behind a piece", () =>
  quietly(async (log) => {
    const held = await log.open("ses_a");
    const order: number[] = [];
    const all = [
      held.append(1, entries(drafts.delta("itm_a", "piece"))).then(() => order.push(2)),
      held.append(2, entries(drafts.updated("title"))).then(() => order.push(3)),
    ];
    await log.close();
    await Promise.all(all);
    assert.deepEqual(order, [2, 3]);
  }));

test("a listener that appends has its event told after the piece that it heard of", () =>
  quietly(async (log) => {
    const held = await log.open("ses_a");
    const told: number[][] = [];
    let appended: Promise<unknown> | undefined;
    log.listenAll((records) => {
      appended ??= held.append(2, entries(drafts.delta("itm_a", "more")));
      told.push(records.map(({ seq }) => seq));
    });
    await held.append(1, entries(drafts.delta("itm_a", "piece")));
    await appended;
    assert.deepEqual(told, [[2], [3]]);
  }));
