import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventData } from "../../../src/core/events/catalog.ts";
import type { Draft } from "../../../src/core/events/event.ts";
import type { Log, SpentRecord } from "../../../src/log/contract.ts";
import { drafts, entries } from "../drafts.ts";
import { inPlace, type MakePlace, withLog } from "../place.ts";
import { append, create, createWith, prune, remove, writerOf } from "../writers.ts";

const { started, turnStarted } = drafts;

/** The end of a turn that asked a model. */
const ended = (turn: string, time: number, data: Partial<EventData["turn.ended"]> = {}): Draft => ({
  type: "turn.ended",
  turn,
  time,
  source: "parley",
  data: { reason: "end_turn", usage: { tokens: { input: 1, output: 2 } }, steps: 1, ...data },
});

const all = (log: Log): Promise<SpentRecord[]> => log.spent({ after: 0, limit: 1000 });
const turns = async (log: Log): Promise<string[]> => (await all(log)).map(({ session, seq }) => `${session}:${seq}`);

export function spentContract(makePlace: MakePlace): void {
  test("the end of a turn is stored with what it spent, and where", async () => {
    await withLog(makePlace, async (log) => {
      const models = { "a/b": { tokens: { input: 3, output: 4, cacheRead: 5 }, cost: 0.5 } };
      const usage = { tokens: { input: 3, output: 4, cacheRead: 5 }, cost: 0.5, models };
      await create(
        log,
        "ses_a",
        turnStarted("trn_1"),
        ended("trn_1", 10, { usage: { ...usage, context: { used: 7 } }, model: "m" }),
      );
      assert.deepEqual(await all(log), [
        {
          number: 1,
          session: "ses_a",
          seq: 3,
          root: "ses_a",
          time: 10,
          agent: "scripted",
          directory: "/project",
          model: "m",
          usage,
        },
      ]);
    });
  });

  test("a sub-agent's turn belongs to the root and its agent, and counts only with numbers of its own", async () => {
    await withLog(makePlace, async (log) => {
      const child = { id: "ses_b", parent: "ses_a", root: "ses_a" };
      await create(log, "ses_a");
      const first: Draft = {
        ...started(),
        data: { agent: "explore", rootAgent: "scripted", directory: "/project", version: 1 },
      } as Draft;
      const untold = ended("trn_2", 11, { usage: undefined });
      await createWith(
        log,
        child,
        entries(first, turnStarted("trn_1"), ended("trn_1", 10), turnStarted("trn_2"), untold),
      );
      const [one, ...others] = await all(log);
      assert.deepEqual([one?.session, one?.root, one?.agent, others], ["ses_b", "ses_a", "scripted", []]);
    });
  });

  test("a turn that told nothing is kept if it asked a model", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", turnStarted("trn_1"), ended("trn_1", 10, { usage: undefined }));
      await append(log, "ses_a", entries(turnStarted("trn_2"), ended("trn_2", 11, { usage: undefined, steps: 0 })));
      assert.deepEqual(await turns(log), ["ses_a:3"]);
      assert.deepEqual((await all(log))[0]?.usage, {});
    });
  });

  test("copies, imports and replays were not spent here", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", turnStarted("trn_1"), ended("trn_1", 10, { elsewhere: true }));
      assert.deepEqual(await turns(log), []);
    });
  });

  test("a turn of an older Parley counts, but not a copy, which is older than its session", async () => {
    await withLog(makePlace, async (log) => {
      const old = (turn: string, time: number): Draft => ended(turn, time, { steps: undefined });
      const made = { ...started(), time: 100 } as Draft;
      await createWith(log, { id: "ses_a" }, entries(made, turnStarted("trn_1"), old("trn_1", 99)));
      await append(log, "ses_a", entries(turnStarted("trn_2"), old("trn_2", 101)));
      assert.deepEqual(await turns(log), ["ses_a:5"]);
    });
  });

  test("a repeat of an append adds nothing", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a");
      const { hold } = await writerOf(log, "ses_a");
      const turn = entries(turnStarted("trn_1"), ended("trn_1", 10));
      await hold.append(1, turn);
      await hold.append(1, turn);
      assert.deepEqual(await turns(log), ["ses_a:3"]);
    });
  });

  test("it outlives its turn, its session and a restart", async () => {
    await inPlace(makePlace, async (place) => {
      const log = await place.open();
      await create(log, "ses_a", turnStarted("trn_1"), ended("trn_1", 10), turnStarted("trn_2"), ended("trn_2", 11));
      await prune(log, "ses_a", 4);
      assert.deepEqual(await turns(log), ["ses_a:3", "ses_a:5"]);
      await append(log, "ses_a", entries(drafts.ended("deleted")));
      await remove(log, "ses_a");
      await log.close();
      const after = await place.open();
      assert.deepEqual(await turns(after), ["ses_a:3", "ses_a:5"]);
      assert.deepEqual(
        (await all(after)).map(({ directory }) => directory),
        ["/project", "/project"],
      );
      await after.close();
    });
  });

  test("it is read by time, agent and directory, a page at a time", async () => {
    await withLog(makePlace, async (log) => {
      await create(log, "ses_a", turnStarted("trn_1"), ended("trn_1", 10), turnStarted("trn_2"), ended("trn_2", 20));
      await createWith(log, { id: "ses_b" }, entries(started("/other"), turnStarted("trn_3"), ended("trn_3", 30)));
      const times = async (query: object): Promise<number[]> =>
        (await log.spent({ after: 0, limit: 9, ...query })).map(({ time }) => time);
      assert.deepEqual(await times({}), [10, 20, 30]);
      assert.deepEqual(await times({ from: 20 }), [20, 30]);
      assert.deepEqual(await times({ from: 10, to: 20 }), [10]);
      assert.deepEqual(await times({ directory: "/other" }), [30]);
      assert.deepEqual(await times({ directory: "\0", agent: "\ud800" }), []);
      assert.deepEqual(await times({ agent: "scripted", limit: 1 }), [10]);
      const [first] = await log.spent({ after: 0, limit: 1 });
      assert.deepEqual(await times({ after: first?.number, limit: 1 }), [20]);
    });
  });

  test("words that no database can hold do not keep a turn from its end", async () => {
    await withLog(makePlace, async (log) => {
      const tell = 'NUL \0 lone \ud800, and \\u0000 "usage":{"tokens":{"input":9}} \\';
      const title = drafts.updated(tell);
      await create(
        log,
        "ses_a",
        title,
        turnStarted("trn_1"),
        ended("trn_1", 10, { tell, error: { code: "x", message: tell } }),
      );
      assert.deepEqual(
        (await all(log)).map(({ usage }) => usage.tokens?.input),
        [1],
      );
    });
  });
}
