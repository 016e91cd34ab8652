import assert from "node:assert/strict";
import { test } from "node:test";
import { reduceSession, type SessionState } from "../../src/core/session-state.ts";
import type { Entry, LogRecord } from "../../src/log/contract.ts";
import { create, drafts, entries, numbers, parsed, readWhole } from "./drafts.ts";
import { type MakePlace, withLog } from "./place.ts";

export function appendContract(makePlace: MakePlace): void {
  test("numbers count from 1 in each session, positions grow over all", async () => {
    await withLog(makePlace, async (log) => {
      const [a, b, c] = await Promise.all([
        create(log, "ses_a", drafts.updated("one")),
        create(log, "ses_b"),
        log.append("ses_a", entries(drafts.updated("two"))),
      ]);
      assert.deepEqual([a, b, c].map(numbers), [[1, 2], [1], [3]]);
      const positions = [...a, ...b, ...c].map((record) => record.position);
      assert.deepEqual(
        positions,
        positions.toSorted((x, y) => x - y),
      );
      assert.equal(new Set(positions).size, 4);
      assert.equal(await log.position(), positions.at(-1));
    });
  });

  test("the event on the wire has its fields in order, and those of its family", async () => {
    await withLog(makePlace, async (log) => {
      const family = { id: "ses_c", parent: "ses_p", root: "ses_r" };
      const [, record] = await log.append(
        "ses_c",
        entries(drafts.started(), drafts.turnStarted("trn_1", "msg_1")),
        family,
      );
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
      await log.append("ses_a", entries(drafts.delta("prt_1", "x"), drafts.completed("prt_1", "x")));
      await log.append("ses_a", entries(drafts.asked("per_1"), drafts.answered("per_1"), drafts.turnEnded("trn_1")));
      const events = parsed(await readWhole(log, "ses_a"));
      const state = events.reduce<SessionState | undefined>(reduceSession, undefined);
      assert.deepEqual(await log.head("ses_a"), { state, last: 8, first: 1 });
    });
  });

  const refusals: [string, (session: string) => [string, Entry[], { id: string }?], string][] = [
    ["an unknown session", () => ["ses_none", entries(drafts.updated("x"))], "session_not_found"],
    ["a second creation", (known) => [known, entries(drafts.started()), { id: known }], "invalid"],
    ["a creation under another id", () => ["ses_x", entries(drafts.started()), { id: "ses_y" }], "invalid"],
    ["a first event of another type", () => ["ses_x", entries(drafts.updated("x")), { id: "ses_x" }], "invalid"],
    ["a creation without events", () => ["ses_x", [], { id: "ses_x" }], "invalid"],
    ["data that JSON cannot hold", (known) => [known, entries(drafts.updated(1n as unknown as string))], "invalid"],
  ];
  for (const [what, request, code] of refusals) {
    test(`${what} is refused alone and leaves its group whole`, async () => {
      await withLog(makePlace, async (log) => {
        await create(log, "ses_a");
        const before = log.append("ses_a", entries(drafts.updated("before")));
        const refused = log.append(...request("ses_a"));
        const after = log.append("ses_a", entries(drafts.updated("after")));
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
      assert.deepEqual(await log.append("ses_a", []), []);
    });
  });

  test("listeners hear of a commit after it, in order, each of what it asked for", async () => {
    await withLog(makePlace, async (log) => {
      const heard: [string, LogRecord[]][] = [];
      log.listen(null, (records) => heard.push(["all", [...records]]));
      log.listen("ses_a", (records, events) => {
        assert.deepEqual(parsed(records), events);
        heard.push(["a", [...records]]);
      });
      const silent = log.listen("ses_a", () => assert.fail("stopped, but heard"));
      silent();
      const stored = (await Promise.all([create(log, "ses_a"), create(log, "ses_b")])).flat();
      await log.append("ses_a", entries(drafts.updated("x"), drafts.updated("y")));
      const all = heard.filter(([who]) => who === "all").flatMap(([, records]) => records);
      assert.deepEqual(all.slice(0, 2), stored);
      assert.deepEqual(
        all.map((record) => record.position),
        (await log.readAll({ after: 0, limit: 10 })).map((record) => record.position),
      );
      const a = heard.filter(([who]) => who === "a").flatMap(([, records]) => records);
      assert.deepEqual(numbers(a), [1, 2, 3]);
    });
  });

  test("what a listener hears can be read", async () => {
    await withLog(makePlace, async (log) => {
      const seen: Promise<number[]>[] = [];
      log.listen("ses_a", () => seen.push(readWhole(log, "ses_a").then(numbers)));
      await create(log, "ses_a");
      await log.append("ses_a", entries(drafts.updated("x")));
      assert.deepEqual(await Promise.all(seen), [[1], [1, 2]]);
    });
  });

  test("a listener that throws hurts neither the others nor the log", async () => {
    await withLog(makePlace, async (log) => {
      let heard = 0;
      log.listen("ses_a", () => {
        throw new Error("a bad listener");
      });
      log.listen("ses_a", () => heard++);
      await create(log, "ses_a");
      await log.append("ses_a", entries(drafts.updated("x")));
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
          await log.append("ses_a", [
            { draft, native: '{"a":1}' },
            { draft, native: "é".repeat(32 * 1024 + 1) },
            { draft },
          ]);
          const asked = await log.read("ses_a", { after: 1, limit: 9, native: true });
          assert.deepEqual(
            asked.map((record) => record.native),
            expected,
          );
          const all = await log.readAll({ after: 1, limit: 9, native: true });
          assert.deepEqual(all, asked);
          for (const record of await log.read("ses_a", { after: 1, limit: 9 })) assert.ok(!("native" in record));
        },
        { keepNative },
      );
    await check(true, ['{"a":1}', undefined, undefined]);
    await check(false, [undefined, undefined, undefined]);
  });
}
