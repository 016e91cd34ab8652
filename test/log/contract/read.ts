import assert from "node:assert/strict";
import { test } from "node:test";
import { answerKey, askKey, promptKey } from "../../../src/core/events/keys.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { type MakePlace, withLog } from "../place.ts";
import { append, create, createWith, remove } from "../writers.ts";

export function readContract(makePlace: MakePlace): void {
  test("pages follow on each other, of one session and of all", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", ...Array.from({ length: 24 }, (_, n) => drafts.delta("prt_1", `${n}`)));
      await create(log, "ses_b", drafts.updated("b"));
      const seen: number[] = [];
      for (let after = 0; ; after = seen.at(-1) ?? 0) {
        const page = await log.read("ses_a", { after, limit: 10 });
        assert.ok(page.length <= 10);
        if (page.length === 0) break;
        seen.push(...numbers(page));
      }
      assert.deepEqual(
        seen,
        Array.from({ length: 25 }, (_, n) => n + 1),
      );
      const all = await log.readAll({ after: 0, limit: 100 });
      assert.equal(all.length, 27);
      const tail = await log.readAll({ after: all[24]?.position ?? 0, limit: 100 });
      assert.deepEqual(
        tail.map((record) => `${record.session}:${record.seq}`),
        ["ses_b:1", "ses_b:2"],
      );
    });
  });

  test("pages go backwards too, each in its order, down to the first event", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", ...Array.from({ length: 24 }, (_, n) => drafts.delta("prt_1", `${n}`)));
      const pages: number[][] = [];
      for (let before = 26; before > 1; before = pages.at(-1)?.[0] ?? 0) {
        pages.push(numbers(await log.readBack("ses_a", { before, limit: 10 })));
      }
      assert.deepEqual(
        pages,
        [
          [16, 10],
          [6, 10],
          [1, 5],
        ].map(([first = 0, length = 0]) => Array.from({ length }, (_, n) => first + n)),
      );
      assert.deepEqual(await log.readBack("ses_a", { before: 1, limit: 10 }), []);
      assert.deepEqual(await log.readBack("ses_none", { before: 9, limit: 10 }), []);
    });
  });

  test("directories of sessions are told with their sessions, those that changed last first", async () => {
    await withLog(makePlace, async (log) => {
      assert.deepEqual(await log.directories(9), []);
      await create(log, "ses_a");
      await create(log, "ses_b");
      await append(log, "ses_a", entries(drafts.updated("a title")));
      await create(log, "ses_gone", drafts.ended("deleted"));
      await remove(log, "ses_gone");
      const states = await log.list({ limit: 9 });
      const [{ directory = "" } = {}] = states;
      const updated = Math.max(...states.map((state) => state.updated));
      assert.deepEqual(await log.directories(9), [{ directory, sessions: 2, updated }]);
      assert.deepEqual(await log.directories(0), []);
    });
  });

  test("an unknown session has no head, no base and no events", async () => {
    await withLog(makePlace, async (log) => {
      assert.equal(await log.head("ses_none"), undefined);
      assert.equal(await log.base("ses_none"), undefined);
      assert.deepEqual(await readWhole(log, "ses_none"), []);
      assert.equal(await log.position(), 0);
    });
  });

  test("sessions are listed by id, by directory, by parent, page by page", async () => {
    await withLog(makePlace, async (log) => {
      const add = (id: string, directory: string, parent?: string) =>
        createWith(
          log,
          { id, ...(parent !== undefined && { parent, root: parent }) },
          entries(drafts.started(directory)),
        );
      await Promise.all([
        add("ses_3", "/one"),
        add("ses_1", "/one"),
        add("ses_2", "/two"),
        add("ses_4", "/one", "ses_1"),
      ]);
      const ids = async (query: Omit<Parameters<typeof log.list>[0], "limit">, limit = 10) =>
        (await log.list({ ...query, limit })).map((state) => state.id);
      assert.deepEqual(await ids({}), ["ses_1", "ses_2", "ses_3", "ses_4"]);
      assert.deepEqual(await ids({}, 2), ["ses_1", "ses_2"]);
      assert.deepEqual(await ids({ after: "ses_2" }), ["ses_3", "ses_4"]);
      assert.deepEqual(await ids({ directory: "/one" }), ["ses_1", "ses_3", "ses_4"]);
      assert.deepEqual(await ids({ directory: "/one", parent: null, after: "ses_1" }), ["ses_3"]);
      assert.deepEqual(await ids({ parent: null }), ["ses_1", "ses_2", "ses_3"]);
      assert.deepEqual(await ids({ parent: "ses_1" }), ["ses_4"]);
      assert.deepEqual(await ids({ directory: "/none" }), []);
    });
  });

  test("a session is unsettled while a turn, a prompt or an ask is open", async () => {
    await withLog(makePlace, async (log) => {
      const ids = async () => (await log.unsettled()).map((state) => state.id);
      await create(log, "ses_idle");
      assert.deepEqual(await ids(), []);
      await create(log, "ses_turn", drafts.turnStarted("trn_1"), drafts.delta("prt_1", "x"));
      await create(log, "ses_prompt", drafts.queued("msg_1"));
      await create(log, "ses_ask", drafts.asked("per_1"));
      assert.deepEqual(await ids(), ["ses_ask", "ses_prompt", "ses_turn"]);
      await append(log, "ses_turn", entries(drafts.turnEnded("trn_1")));
      await append(log, "ses_ask", entries(drafts.answered("per_1")));
      await append(log, "ses_prompt", entries(drafts.turnStarted("trn_1", "msg_1"), drafts.turnEnded("trn_1")));
      assert.deepEqual(await ids(), []);
    });
  });

  test("an event is found by its name, and the first one keeps it", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", drafts.queued("msg_1"), drafts.turnStarted("trn_1", "msg_1"), drafts.asked("per_1"));
      await append(log, "ses_a", entries(drafts.answered("per_1"), drafts.turnEnded("trn_1")));
      await create(log, "ses_b", drafts.turnStarted("trn_2", "msg_1"));
      assert.equal((await log.find("ses_a", promptKey("msg_1")))?.seq, 2);
      assert.equal((await log.find("ses_b", promptKey("msg_1")))?.type, "turn.started");
      assert.equal((await log.find("ses_a", askKey("per_1")))?.type, "permission.requested");
      assert.equal((await log.find("ses_a", answerKey("per_1")))?.type, "permission.resolved");
      assert.equal(await log.find("ses_b", askKey("per_1")), undefined);
      assert.equal(await log.locate(askKey("per_1")), "ses_a");
      assert.equal(await log.locate(askKey("per_2")), undefined);
    });
  });
}
