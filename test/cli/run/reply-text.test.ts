import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyText } from "../../../src/cli/run/reply-text.ts";
import type { ParleyEvent } from "../../../src/client/index.ts";
import type { ItemStatus } from "../../../src/core/events/items.ts";
import { event } from "./events.ts";

function message(id: string, status: ItemStatus, text?: string, role: "user" | "assistant" = "assistant") {
  return { item: { id, kind: "message" as const, role, status, text } };
}
const started = (id: string): ParleyEvent => event({ type: "item.started", data: message(id, "running") });
const delta = (id: string, text: string): ParleyEvent =>
  event({ type: "item.delta", data: { item: id, field: "text", delta: text } });
const replaced = (id: string, text: string): ParleyEvent =>
  event({ type: "item.delta", data: { item: id, field: "text", replace: text } });
const completed = (id: string, text: string, status: ItemStatus = "completed"): ParleyEvent =>
  event({ type: "item.completed", data: message(id, status, text) });

const rows: [what: string, events: ParleyEvent[], said: string[]][] = [
  [
    "deltas as they come",
    [started("a"), delta("a", "Hel"), delta("a", "lo"), completed("a", "Hello")],
    ["", "Hel", "lo", ""],
  ],
  ["what deltas left out", [started("a"), delta("a", "Hel"), completed("a", "Hello")], ["", "Hel", "lo"]],
  ["a message whose deltas were folded", [completed("a", "Hello")], ["Hello"]],
  ["two messages apart", [completed("a", "One."), started("b"), delta("b", "Two.")], ["One.", "", "\n\nTwo."]],
  ["a correction that goes on", [started("a"), delta("a", "Hel"), replaced("a", "Hello")], ["", "Hel", "lo"]],
  ["a correction that does not", [started("a"), delta("a", "Bad"), replaced("a", "Good")], ["", "Bad", "\n\nGood"]],
  ["nothing of a message taken back", [started("a"), completed("a", "Bad", "retracted")], ["", ""]],
  [
    "nothing of the user, of reasoning, of input",
    [
      event({ type: "item.completed", data: message("u", "completed", "prompt", "user") }),
      event({ type: "item.started", data: { item: { id: "r", kind: "reasoning", status: "running" } } }),
      delta("r", "hm"),
      delta("unknown", "x"),
      started("a"),
      event({ type: "item.delta", data: { item: "a", field: "input", delta: "{}" } }),
    ],
    ["", "", "", "", "", ""],
  ],
];

for (const [what, events, said] of rows) {
  test(`the reply is ${what}`, () => {
    const reply = new ReplyText();
    assert.deepEqual(
      events.map((one) => reply.take(one)),
      said,
    );
  });
}
