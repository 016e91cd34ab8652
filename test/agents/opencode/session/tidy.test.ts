import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tidy, unfinishedCompaction } from "../../../../src/agents/opencode/tidy.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import { CUT, StandIn } from "../stand-in.ts";

const user = (id: string, type = "text"): Fields => ({ info: { id, role: "user" }, parts: [{ type }] });
const reply = (id: string, parentID: string, more: Fields = {}): Fields => ({
  info: { id, role: "assistant", parentID, ...more },
  parts: [],
});
const DONE = { summary: true, finish: "stop" };
const FAILED = { summary: true, error: { name: "APIError" } };

describe("the messages of a compaction that did not come to its end", () => {
  const cases: [what: string, messages: Fields[], left: string[]][] = [
    ["none at all", [], []],
    ["none in a usual conversation", [user("msg_1"), reply("msg_2", "msg_1")], []],
    ["none of one that is done", [user("msg_1", "compaction"), reply("msg_2", "msg_1", DONE)], []],
    ["of one that failed", [user("msg_1", "compaction"), reply("msg_2", "msg_1", FAILED)], ["msg_2", "msg_1"]],
    [
      "of one that failed after it had finished",
      [user("msg_1", "compaction"), reply("msg_2", "msg_1", { ...DONE, ...FAILED })],
      ["msg_2", "msg_1"],
    ],
    ["of one that was stopped before it began", [user("msg_1"), user("msg_3", "compaction")], ["msg_3"]],
    [
      "of the last one alone",
      [
        user("msg_1", "compaction"),
        reply("msg_2", "msg_1", FAILED),
        user("msg_3", "compaction"),
        reply("msg_4", "msg_3", DONE),
      ],
      [],
    ],
    [
      "with all that it said",
      [
        user("msg_1", "compaction"),
        reply("msg_2", "msg_1", FAILED),
        reply("msg_3", "msg_1", FAILED),
        reply("msg_4", "msg_0"),
      ],
      ["msg_3", "msg_2", "msg_1"],
    ],
  ];
  for (const [what, messages, left] of cases) test(what, () => assert.deepEqual(unfinishedCompaction(messages), left));
});

describe("a session", () => {
  test("is rid of them", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /session/ses_1/message", [user("msg_1", "compaction"), reply("msg_2", "msg_1", FAILED)]);
    stand.on("DELETE /session/ses_1/message/msg_2", CUT).on("DELETE /session/ses_1/message/msg_1", true);
    await tidy(stand.api(), "ses_1");
    assert.deepEqual(
      stand.of("DELETE /session/:/message/:").map(({ path }) => path.slice(-5)),
      ["msg_2", "msg_1"],
    );
  });

  test("that cannot be asked for is left as it is", async (t) => {
    const stand = await StandIn.open(t);
    stand.on("GET /session/ses_1/message", CUT);
    await tidy(stand.api(), "ses_1");
    assert.equal(stand.of("DELETE /session/:/message/:").length, 0);
  });
});
