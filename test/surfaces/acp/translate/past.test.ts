import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "../../../../src/client/index.ts";
import { collapse } from "../../../../src/surfaces/acp/translate/collapse.ts";
import { Translator } from "../../../../src/surfaces/acp/translate/translator.ts";

/** A text that began before a call and ended after it, as agents tell them, without its deltas: they are not kept. */
const PAST = [
  ["item.started", { kind: "message", role: "assistant", id: "msg_1" }],
  ["item.started", { kind: "tool_call", id: "call_1", name: "read", input: { path: "a" } }],
  ["item.completed", { kind: "message", role: "assistant", id: "msg_1", text: "I read a.", status: "completed" }],
  ["item.completed", { kind: "tool_call", id: "call_1", name: "read", input: { path: "a" }, status: "completed" }],
  ["item.started", { kind: "message", role: "assistant", id: "msg_2" }],
  ["item.completed", { kind: "message", role: "assistant", id: "msg_2", text: "", status: "completed" }],
].map(([type, item], at) => ({ type, seq: at + 1, time: at, turn: "trn_1", data: { item } }) as unknown as StreamEvent);

test("a past has its texts and calls in the order in which they began, and no empty text", () => {
  const translator = new Translator({ directory: "/work" });
  const told = collapse(PAST.flatMap((event) => translator.past(event)));
  assert.deepEqual(
    told.map((update) => (update.type === "text" ? update.content : update.type)),
    [[{ type: "text", text: "I read a." }], "call"],
  );
});

test("texts that are told as they come have no place ahead", () => {
  const translator = new Translator({ directory: "/work" });
  assert.deepEqual(translator.take(PAST[0] as StreamEvent), []);
});
