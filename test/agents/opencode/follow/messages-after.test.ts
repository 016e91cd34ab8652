import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { messagesAfter } from "../../../../src/agents/opencode/follow/messages-after.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { CUT, type Heard, Otherwise, StandIn } from "../stand-in.ts";

const numbered = (count: number): string => `msg_${String(count).padStart(4, "0")}`;
const message = (count: number, role = "assistant"): Fields => ({ info: { id: numbered(count), role }, parts: [] });

async function keeping(t: TestContext, messages: readonly unknown[]): Promise<StandIn> {
  const stand = await StandIn.open(t);
  return stand.on("GET /session/ses_1/message", ({ query }: Heard) => {
    const end = Number(query.get("before") ?? messages.length);
    const start = Math.max(0, end - Number(query.get("limit")));
    return new Otherwise(200, messages.slice(start, end), start > 0 ? { "x-next-cursor": String(start) } : {});
  });
}

async function idsAfter(stand: StandIn, after: string): Promise<unknown[]> {
  return (await messagesAfter(stand.api(), "ses_1", after)).map(({ info }) => (info as Fields).id);
}

describe("the messages after one of them", { concurrency: true }, () => {
  const many = Array.from({ length: 130 }, (_, count) => message(count));

  test("are all of them after nothing, oldest first", async (t) => {
    const stand = await keeping(t, many);
    assert.deepEqual(
      await idsAfter(stand, ""),
      many.map((_, count) => numbered(count)),
    );
    assert.equal(stand.heard.length, 3);
  });

  for (const [after, requests] of [
    [128, 1],
    [80, 1],
    [79, 2],
    [20, 3],
    [129, 1],
    [500, 1],
  ] as const)
    test(`${after}: no more pages are read than are needed`, async (t) => {
      const stand = await keeping(t, many);
      const expected = many.map((_, count) => numbered(count)).slice(after + 1);
      assert.deepEqual(await idsAfter(stand, numbered(after)), expected);
      assert.equal(stand.heard.length, requests);
    });

  test("are found behind a message of Parley's, whose clock may be late", async (t) => {
    const late = [message(1), message(0, "user"), ...Array.from({ length: 60 }, (_, count) => message(2 + count))];
    const stand = await keeping(t, late);
    assert.deepEqual(
      await idsAfter(stand, numbered(1)),
      late.slice(2).map((one) => (one.info as Fields).id),
    );
  });

  test("are none where the answer is no list", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /session/ses_1/message", {});
    assert.deepEqual(await idsAfter(stand, ""), []);
  });

  test("do not go round in a circle", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /session/ses_1/message", new Otherwise(200, [message(1)], { "x-next-cursor": "same" }));
    assert.deepEqual(await idsAfter(stand, ""), [numbered(1), numbered(1)]);
  });

  test("fail where the program cannot be asked", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /session/ses_1/message", CUT);
    await assert.rejects(idsAfter(stand, ""));
  });
});
