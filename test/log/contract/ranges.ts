import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../../../src/core/events/event.ts";
import type { Log, RecentQuery } from "../../../src/log/contract.ts";
import { drafts, entries, numbers } from "../drafts.ts";
import { type MakePlace, withLog } from "../place.ts";
import { append, create, createWith, prune, remove } from "../writers.ts";

const said = (type: "item.started" | "item.completed", role: "user" | "assistant", id: string, text = "hi"): Draft => ({
  type,
  time: 4,
  source: "agent",
  data: { item: { id, kind: "message", role, status: type === "item.started" ? "running" : "completed", text } },
});

const stepEnded = (step: number, usage?: object): Draft =>
  ({
    type: "step.ended",
    time: 5,
    source: "agent",
    data: { step, id: `msg_${step}`, ...(usage && { usage }) },
  }) as Draft;

const changed = (time: number, title: string): Draft => ({ ...drafts.updated(title), time }) as Draft;

const ids = async (log: Log, query: Partial<RecentQuery>): Promise<string[]> =>
  (await log.recent({ limit: 99, ...query })).map(({ id }) => id);

export function rangesContract(makePlace: MakePlace): void {
  test("what a session told is found between two numbers, without all that lies between", async () => {
    await withLog(makePlace, async (log) => {
      await create(
        log,
        "ses_a",
        drafts.turnStarted("trn_1"), // 2
        said("item.started", "user", "msg_1"), // 3
        said("item.completed", "user", "msg_1"), // 4
        said("item.started", "assistant", "prt_1"), // 5
        drafts.delta("prt_1", "x"), // 6
        drafts.updated("title"), // 7
        said("item.completed", "assistant", "prt_1"), // 8
        drafts.turnEnded("trn_1"), // 9
      );
      await create(log, "ses_b", drafts.updated("of another"));
      const told = async (after: number, before: number) => numbers(await log.told("ses_a", { after, before }));
      assert.deepEqual(await told(0, 99), [3, 4, 7, 9]);
      assert.deepEqual(await told(3, 9), [4, 7], "neither end is in it");
      assert.deepEqual(await told(7, 8), []);
      assert.deepEqual(await told(9, 3), []);
      assert.deepEqual(await log.told("ses_none", { after: 0, before: 9 }), []);
      const [record] = await log.told("ses_a", { after: 6, before: 8 });
      assert.deepEqual(record, (await log.read("ses_a", { after: 6, limit: 1 }))[0]);
      await append(log, "ses_a", entries(drafts.turnStarted("trn_2"), drafts.turnEnded("trn_2")));
      await prune(log, "ses_a", 10);
      assert.deepEqual(await told(0, 99), [11], "what is forgotten is not told");
      await append(log, "ses_a", entries(drafts.ended("deleted")));
      await remove(log, "ses_a");
      assert.deepEqual(await told(0, 99), []);
    });
  });

  test("events of a type that hold a text are picked between two numbers", async () => {
    await withLog(makePlace, async (log) => {
      await create(
        log,
        "ses_a",
        stepEnded(1, { cost: 1 }),
        stepEnded(2),
        stepEnded(3, { cost: 2 }),
        drafts.updated('"cost":'),
      );
      const pick = async (after: number, before: number, holding = '"cost":') =>
        numbers(await log.pick("ses_a", { after, before, type: "step.ended", holding }));
      assert.deepEqual(await pick(0, 99), [2, 4]);
      assert.deepEqual(await pick(2, 4), []);
      assert.deepEqual(await pick(0, 99, "100%_'\\"), [], "the text is no pattern");
      assert.deepEqual(await log.pick("ses_none", { after: 0, before: 9, type: "step.ended", holding: "x" }), []);
    });
  });

  test("sessions are listed by their last change, page by page, also those of one time", async () => {
    await withLog(makePlace, async (log) => {
      const add = (id: string, directory: string, time: number) =>
        createWith(log, { id }, entries(drafts.started(directory), changed(time, id)));
      await add("ses_1", "/one", 10);
      await add("ses_2", "/two", 30);
      await add("ses_3", "/one", 30);
      await add("ses_4", "/one", 20);
      assert.deepEqual(await ids(log, {}), ["ses_2", "ses_3", "ses_4", "ses_1"]);
      assert.deepEqual(await ids(log, { limit: 2 }), ["ses_2", "ses_3"]);
      assert.deepEqual(await ids(log, { limit: 0 }), []);
      assert.deepEqual(await ids(log, { after: { updated: 30, id: "ses_2" } }), ["ses_3", "ses_4", "ses_1"]);
      assert.deepEqual(await ids(log, { after: { updated: 30, id: "~" }, limit: 1 }), ["ses_4"]);
      assert.deepEqual(await ids(log, { since: 20 }), ["ses_2", "ses_3", "ses_4"]);
      assert.deepEqual(await ids(log, { directory: "/one" }), ["ses_3", "ses_4", "ses_1"]);
      assert.deepEqual(await ids(log, { directory: "/one", since: 11, after: { updated: 30, id: "ses_3" } }), [
        "ses_4",
      ]);
      assert.deepEqual(await ids(log, { directory: "/none" }), []);
      await append(log, "ses_1", entries(changed(40, "again")));
      assert.deepEqual(await ids(log, {}), ["ses_1", "ses_2", "ses_3", "ses_4"], "a change brings it to the front");
      await append(log, "ses_3", entries({ ...drafts.ended("deleted"), time: 50 } as Draft));
      await remove(log, "ses_3");
      assert.deepEqual(await ids(log, {}), ["ses_1", "ses_2", "ses_4"]);
      const [state] = await log.recent({ limit: 1 });
      assert.deepEqual(state, (await log.head("ses_1"))?.state);
    });
  });
}
