import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { resolveCursor } from "../../../src/log/cursor.ts";
import { isOther } from "../../../src/log/postgres/history.ts";
import type { PostgresLog } from "../../../src/log/postgres/log.ts";
import { tail, tailAll } from "../../../src/log/tail.ts";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres, PostgresServer } from "../../support/postgres.ts";
import { makeReplica } from "../../support/replica.ts";
import { drafts, entries, numbers, readWhole } from "../drafts.ts";
import { openNode } from "./place.ts";

const { delta, started, updated } = drafts;

test("a server is another one when its timeline is, or its log is shorter", () => {
  const before = { timeline: "00000001", flushed: 100 };
  const cases: [timeline: string, flushed: number, other: boolean][] = [
    ["00000001", 100, false],
    ["00000001", 101, false],
    ["00000001", 99, true],
    ["00000002", 101, true],
  ];
  for (const [timeline, flushed, other] of cases)
    assert.equal(isOther(before, { timeline, flushed }), other, `${timeline} ${flushed}`);
  assert.equal(isOther(undefined, before), false, "nothing was seen before");
});

interface Followed {
  seen: number[];
  failed: boolean;
  close(): void;
}

/** What a client of a node has seen, and whether its stream was cut. */
function follow(log: PostgresLog, session: string | null): Followed {
  const followed: Followed = { seen: [], failed: false, close: () => following.close() };
  const sink = {
    write: (records: readonly { seq: number }[]) => void followed.seen.push(...records.map(({ seq }) => seq)),
    gap: () => undefined,
    failed: () => {
      followed.failed = true;
    },
  };
  const following = session === null ? tailAll(log, { after: 0 }, sink) : tail(log, session, { after: 0 }, sink);
  return followed;
}

/** A server of its own that has begun to have a replica, and two nodes on it. */
async function stage(t: TestContext) {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  const name = await server.createDatabase();
  // An ordinary owner of a database, with no further rights.
  await server.sql("postgres", "CREATE ROLE plain LOGIN PASSWORD 'secret word'");
  await server.sql("postgres", `ALTER DATABASE ${name} OWNER TO plain`);
  const url = server.url(name, { user: "plain", password: "secret word" });
  const ends: string[] = [];
  const node = async (directory: string) => {
    const one = await openNode({ url, directory, lostEnd: () => ends.push(directory) });
    t.after(() => one.log.close());
    return one;
  };
  return { server, ends, a: await node("a"), b: await node("b") };
}

describe("a failover to a replica that lags", needsPostgres, () => {
  test("cuts streams beyond the end, and refuses cursors of what is gone, also when their numbers are taken again", async (t) => {
    const { server, ends, a, b } = await stage(t);
    const hold = await a.log.open({ id: "ses_a" });
    await hold.append(0, entries(started(), updated("kept")));
    const quiet = await a.log.open({ id: "ses_quiet" });
    await quiet.append(0, entries(started()));
    const [one, other, all] = [follow(b.log, "ses_a"), follow(b.log, "ses_quiet"), follow(b.log, null)];
    await eventually("all came", () => one.seen.length === 2 && other.seen.length === 1 && all.seen.length === 3);
    const replica = makeReplica(server);
    await hold.append(2, entries(delta("A", "lost ")));
    await hold.append(3, entries(delta("A", "words")));
    await eventually("the words came", () => one.seen.length === 4 && all.seen.length === 5);
    const before = await b.log.position();

    await replica.promote();
    await eventually("the stream of the session is cut", () => one.failed);
    await eventually("the stream of all sessions is cut", () => all.failed);
    await eventually("both nodes know", () => new Set(ends).size === 2);
    assert.deepEqual([other.failed, other.seen], [false, [1]], "the other session has lost nothing");

    const head = await b.log.head("ses_a");
    assert.deepEqual([head?.last, head?.lostTo], [2, 4]);
    assert.equal(await b.log.lostTo?.(), before);
    const reasonAt = async (cursor: number): Promise<string> => {
      const { first = 1, last = 0, lostTo } = (await b.log.head("ses_a")) ?? {};
      const found = resolveCursor(`ses_a:${cursor}`, { session: "ses_a", first, last, lostTo });
      return found.ok ? "ok" : found.reason;
    };
    assert.equal(await reasonAt(4), "future");
    await assert.rejects(hold.append(4, entries(delta("A", "!"))), { code: "fenced" });
    const again = await a.log.open("ses_a");
    assert.equal(again.head?.last, 2);
    await again.append(2, entries(updated("x"), updated("y"), updated("z")));
    assert.equal(await reasonAt(3), "lost", "a number that two events had");
    assert.equal(await reasonAt(4), "lost");
    assert.equal(await reasonAt(5), "ok", "a number that only one event had");
    assert.equal(await reasonAt(0), "ok", "a client that begins anew");
    const anew = follow(b.log, "ses_a");
    await eventually("it gets all there is", () => anew.seen.length === 5);
    await quiet.append(1, entries(updated("on")));
    await eventually("the other stream goes on", () => other.seen.length === 2);
    assert.deepEqual(numbers(await readWhole(b.log, "ses_a")), [1, 2, 3, 4, 5]);
    for (const followed of [other, anew]) followed.close();
  });

  test("a restart in order, and one after a crash, cut nothing", async (t) => {
    const { server, ends, a, b } = await stage(t);
    const hold = await a.log.open({ id: "ses_a" });
    await hold.append(0, entries(started()));
    const [one, all] = [follow(b.log, "ses_a"), follow(b.log, null)];
    await eventually("it came", () => one.seen.length === 1 && all.seen.length === 1);
    for (const [round, how] of (["fast", "immediate"] as const).entries()) {
      await server.halt(how);
      await server.run();
      let stored = false;
      await eventually("an append is stored", async () => {
        await hold.append(round + 1, entries(updated(how))).then(
          () => {
            stored = true;
          },
          () => undefined,
        );
        return stored;
      });
      await eventually("it came", () => one.seen.length === round + 2 && all.seen.length === round + 2);
    }
    assert.deepEqual([one.failed, all.failed, ends], [false, false, []]);
    assert.equal((await b.log.head("ses_a"))?.lostTo, undefined);
    for (const followed of [one, all]) followed.close();
  });
});
