import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Draft, ParleyEvent } from "../../../src/core/events/event.ts";
import { FINDABLE_TYPES, findable, MOST_TEXT } from "../../../src/core/search/text.ts";

const event = (draft: Pick<Draft, "type" | "data">): ParleyEvent =>
  ({ id: "ses_a:1", seq: 1, session: "ses_a", time: 1, source: "agent", ...draft }) as ParleyEvent;
const item = (data: object): ParleyEvent =>
  event({ type: "item.completed", data: { item: { id: "prt_1", status: "completed", ...data } } } as never);

const TABLE: readonly [what: string, event: ParleyEvent, kind: string | undefined, text?: string][] = [
  ["a message", item({ kind: "message", role: "user", text: "hello" }), "message", "hello"],
  [
    "a message with a file",
    item({ kind: "message", role: "user", text: "see", content: [{ type: "file", path: "a.ts", url: "data:xx" }] }),
    "message",
    "see\na.ts",
  ],
  ["reasoning", item({ kind: "reasoning", text: "hm" }), "reasoning", "hm"],
  [
    "a call with its input, without the names of fields and data",
    item({
      kind: "tool_call",
      call: "c",
      name: "bash",
      title: "List",
      input: { command: "ls", n: [1, { u: "data:image/png;base64,AA" }] },
    }),
    "tool_call",
    "bash\nList\nls\n1",
  ],
  [
    "a result with its paths",
    item({ kind: "tool_result", call: "c", text: "ok", files: [{ path: "b.ts", kind: "renamed", from: "a.ts" }] }),
    "tool_result",
    "b.ts\na.ts\nok",
  ],
  [
    "an item that was retracted",
    item({ kind: "message", role: "assistant", status: "retracted", text: "no" }),
    undefined,
  ],
  ["an empty item", item({ kind: "reasoning", text: "" }), undefined],
  ["a title", event({ type: "session.updated", data: { title: "Readme" } }), "title", "Readme"],
  ["facts without a title", event({ type: "session.updated", data: { model: "m" } }), undefined],
  ["a note", event({ type: "session.note", data: { text: "late" } }), "note", "late"],
  [
    "an error",
    event({ type: "error", data: { code: "overloaded", message: "try later" } }),
    "error",
    "overloaded\ntry later",
  ],
  [
    "a permission",
    event({
      type: "permission.requested",
      data: { ask: "per_1", action: "bash", command: "rm x", patterns: ["rm *"], options: [] },
    }),
    "permission",
    "rm x\nrm *",
  ],
  [
    "a question",
    event({
      type: "question.requested",
      data: { ask: "que_1", questions: [{ question: "Which?", options: [{ label: "This" }] }] },
    }),
    "question",
    "Which?\nThis",
  ],
  ["a delta", event({ type: "item.delta", data: { item: "prt_1", field: "text", delta: "x" } }), undefined],
];

describe("of an event can be found", () => {
  for (const [what, one, kind, text] of TABLE)
    test(what, () => {
      const found = findable(one);
      assert.equal(found?.kind, kind);
      assert.equal(found?.text, text);
      if (found) assert.ok(FINDABLE_TYPES.has(one.type), "an index reads this type");
    });

  test("the beginning of a long text", () => {
    const long = { kind: "tool_result", call: "c", text: "x".repeat(MOST_TEXT * 2) };
    assert.equal(findable(item(long))?.text.length, MOST_TEXT);
    const wide = {
      kind: "tool_call",
      call: "c",
      name: "n",
      input: Array.from({ length: 5_000 }, () => "y".repeat(100)),
    };
    assert.ok((findable(item(wide))?.text.length ?? 0) <= MOST_TEXT + 1);
  });
});
