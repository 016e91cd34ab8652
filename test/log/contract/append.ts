import assert from "node:assert/strict";
import { test } from "node:test";
import { reduceSession, type SessionState } from "../../../src/core/session-state.ts";
import type { EventRecord, Hold, Log, PlacedRecord } from "../../../src/log/contract.ts";
import { eventually } from "../../support/eventually.ts";
import { drafts, entries, numbers, parsed, readWhole } from "../drafts.ts";
import { type MakePlace, withLog } from "../place.ts";
import { append, create, createWith } from "../writers.ts";

export function appendContract(makePlace: MakePlace): void {
  test("numbers count from 1 in each session, positions grow over all", async () => {
    await withLog(makePlace, async (log) => {
      const [a, b, c] = await Promise.all([
        create(log, "ses_a", drafts.updated("one")),
        create(log, "ses_b"),
        append(log, "ses_a", entries(drafts.updated("two"))),
      ]);
      assert.deepEqual([a, b, c].map(numbers), [[1, 2], [1], [3]]);
      const positions = (await log.readAll({ after: 0, limit: 10 })).map((record) => record.position);
      assert.deepEqual(
        positions,
        positions.toSorted((x, y) => x - y),
      );
      assert.equal(new Set(positions).size, 4);
      assert.equal(await log.position(), positions.at(-1));
      for (const record of [...a, ...(await readWhole(log, "ses_a"))]) assert.ok(!("position" in record));
    });
  });

  test("the event on the wire has its fields in order, and those of its family", async () => {
    await withLog(makePlace, async (log) => {
      const family = { id: "ses_c", parent: "ses_p", root: "ses_r" };
      const [, record] = await create(log, family, drafts.turnStarted("trn_1", "msg_1"));
      const expected =
        '{"id":"ses_c:2","seq":2,"session":"ses_c","turn":"trn_1","parent":"ses_p","root":"ses_r","time":3,' +
        '"source":"parley","type":"turn.started","data":{"by":"user","prompt":{"id":"msg_1"}}}';
      assert.equal(record?.json, expected);
      assert.equal((await readWhole(log, "ses_c"))[1]?.json, expected);
      assert.equal((await log.head("ses_c"))?.state.parent, "ses_p");
    });
  });

  test("the head is the reduction of all events", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", drafts.queued("msg_1"), drafts.turnStarted("trn_1", "msg_1"));
      await append(log, "ses_a", entries(drafts.delta("prt_1", "x"), drafts.completed("prt_1", "x")));
      await append(log, "ses_a", entries(drafts.asked("per_1"), drafts.answered("per_1"), drafts.turnEnded("trn_1")));
      const events = parsed(await readWhole(log, "ses_a"));
      const state = events.reduce<SessionState | undefined>(reduceSession, undefined);
      assert.deepEqual(await log.head("ses_a"), { state, last: 8, first: 1 });
    });
  });

  const unstorable = drafts.updated(1n as unknown as string);
  const refusals: [string, (log: Log, known: Hold) => Promise<unknown>, string][] = [
    ["an unknown session", (log) => log.open("ses_none"), "session_not_found"],
    ["a second creation", (log, known) => log.open({ id: known.session }), "invalid"],
    ["a first event of another type", (log) => createWith(log, "ses_x", entries(drafts.updated("x"))), "invalid"],
    ["a creation without events", (log) => createWith(log, "ses_x", []), "invalid"],
    ["data that JSON cannot hold", (_, known) => known.append(2, entries(unstorable)), "invalid"],
    ["a number that leaves a hole", (_, known) => known.append(3, entries(drafts.updated("x"))), "invalid"],
    ["a number that was taken before the hold", (_, known) => known.append(0, entries(drafts.started())), "invalid"],
    ["a number that other events have", (_, known) => known.append(1, entries(drafts.updated("x"))), "invalid"],
    [
      "a repeat that goes on after the last number",
      (_, known) => known.append(1, entries(drafts.updated("before"), drafts.updated("x"))),
      "invalid",
    ],
  ];
  for (const [what, request, code] of refusals) {
    test(`${what} is refused alone and leaves its group whole`, async () => {
      await withLog(makePlace, async (log) => {
        await create(log, "ses_a");
        const hold = await log.open("ses_a");
        const before = hold.append(1, entries(drafts.updated("before")));
        const refused = request(log, hold);
        const after = hold.append(2, entries(drafts.updated("after")));
        await assert.rejects(refused, { name: "ParleyError", code });
        assert.deepEqual([await before, await after].map(numbers), [[2], [3]]);
        assert.deepEqual(numbers(await readWhole(log, "ses_a")), [1, 2, 3]);
        assert.equal(await log.head("ses_x"), undefined);
      });
    });
  }

  test("an append without events to a known session stores nothing", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a");
      assert.deepEqual(await append(log, "ses_a", []), []);
    });
  });

  test("listeners hear of a commit after it, in order, each of what it asked for", async () => {
    await withLog(makePlace, async (log) => {
      const all: PlacedRecord[] = [];
      const own: EventRecord[] = [];
      log.listenAll((records, events, after) => {
        assert.deepEqual(parsed(records), events);
        assert.equal(after, all.at(-1)?.position ?? 0, "no record is left out between two hints");
        all.push(...records);
      });
      log.listen("ses_a", (records, events) => {
        assert.deepEqual(parsed(records), events);
        own.push(...records);
      });
      const silent = log.listen("ses_a", () => assert.fail("stopped, but heard"));
      silent();
      const stored = (await Promise.all([create(log, "ses_a"), create(log, "ses_b")])).flat();
      await append(log, "ses_a", entries(drafts.updated("x"), drafts.updated("y")));
      await eventually("all commits are told, in the order of their positions", () => all.length === 4);
      // Two sessions that are made at once come in any order.
      const bySession = (a: EventRecord, b: EventRecord): number => (a.session < b.session ? -1 : 1);
      assert.deepEqual(
        all
          .slice(0, 2)
          .map(({ position: _, ...record }) => record)
          .toSorted(bySession),
        stored,
      );
      assert.deepEqual(all, await log.readAll({ after: 0, limit: 10 }));
      assert.deepEqual(own, await readWhole(log, "ses_a"));
    });
  });

  test("what a listener hears can be read", async () => {
    await withLog(makePlace, async (log) => {
      const heard: { last: number; read: Promise<number[]> }[] = [];
      log.listen("ses_a", (records) => {
        const last = records.at(-1)?.seq;
        if (last !== undefined) heard.push({ last, read: readWhole(log, "ses_a").then(numbers) });
      });
      await create(log, "ses_a");
      await append(log, "ses_a", entries(drafts.updated("x")));
      assert.deepEqual(
        heard.map(({ last }) => last),
        [1, 2],
      );
      for (const { last, read } of heard) assert.ok((await read).includes(last));
    });
  });

  test("a listener that throws hurts neither the others nor the log", async () => {
    await withLog(makePlace, async (log) => {
      let heard = 0;
      log.listen("ses_a", () => {
        throw new Error("a bad listener");
      });
      log.listen("ses_a", (records) => {
        heard += records.length;
      });
      await create(log, "ses_a");
      await append(log, "ses_a", entries(drafts.updated("x")));
      assert.equal(heard, 2);
    });
  });

  test("the agent's line is kept up to 64 KiB and given only when asked for", async () => {
    const check = async (keepNative: boolean, expected: (string | undefined)[]) =>
      withLog(
        makePlace,
        async (log) => {
          await create(log, "ses_a");
          const draft = drafts.updated("x");
          await append(log, "ses_a", [
            { draft, native: '{"a":1}' },
            { draft, native: "é".repeat(32 * 1024 + 1) },
            { draft },
          ]);
          const asked = await log.read("ses_a", { after: 1, limit: 9, native: true });
          assert.deepEqual(await log.readBack("ses_a", { before: 5, limit: 3, native: true }), asked);
          assert.deepEqual(
            asked.map((record) => record.native),
            expected,
          );
          const all = await log.readAll({ after: 1, limit: 9, native: true });
          assert.deepEqual(
            all.map(({ position: _, ...record }) => record),
            asked,
          );
          for (const record of await log.read("ses_a", { after: 1, limit: 9 })) assert.ok(!("native" in record));
        },
        { keepNative },
      );
    await check(true, ['{"a":1}', undefined, undefined]);
    await check(false, [undefined, undefined, undefined]);
  });
}
