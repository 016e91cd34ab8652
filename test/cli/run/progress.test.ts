import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "../../../src/cli/run/progress.ts";
import type { ParleyEvent } from "../../../src/client/index.ts";
import type { ToolCallItem } from "../../../src/core/events/items.ts";
import { event } from "./events.ts";

function lines(events: readonly ParleyEvent[]): string[] {
  const progress = new Progress((_, text) => text);
  return events.flatMap((one) => progress.take(one));
}

const call = (more: Partial<ToolCallItem>): ToolCallItem => ({
  ...{ id: "prt_1", kind: "tool_call", status: "pending", call: "c1", name: "bash" },
  ...more,
});

test("a call is told when it is known what it does, and again when it is over", () => {
  assert.deepEqual(
    lines([
      event({ type: "item.started", data: { item: call({}) } }),
      event({ type: "item.updated", data: { item: "prt_1", title: "npm test" } }),
      event({ type: "item.updated", data: { item: "prt_1", status: "running" } }),
      event({ type: "item.completed", data: { item: call({ status: "completed", title: "npm test" }) } }),
    ]),
    ["→ bash npm test", "✓ bash npm test"],
  );
});

test("a call that changed files says how many lines", () => {
  const diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n-a\n+++b\n+c\n d\n";
  const files = [
    { path: "f", kind: "modified" as const, diff },
    { path: "g", kind: "added" as const, additions: 3, deletions: 0 },
  ];
  const item = { id: "prt_2", kind: "tool_result" as const, status: "completed" as const, call: "c1", files };
  const painted = new Progress((colour, text) => `<${colour}>${text}`);
  const told = [
    event({ type: "item.completed", data: { item } }),
    event({ type: "item.completed", data: { item: call({ status: "completed", title: "f" }) } }),
  ].flatMap((one) => painted.take(one));
  assert.deepEqual(told, ["<green>✓ bash f <green>+5 <red>-1"]);
});

test("a call that never says what it does is told when it runs", () => {
  const item = call({});
  assert.deepEqual(
    lines([
      event({ type: "item.started", data: { item } }),
      event({ type: "item.updated", data: { item: "prt_1", status: "running" } }),
    ]),
    ["→ bash"],
  );
});

test("a failure says why, and a call that goes on says so", () => {
  const error = { code: "x", message: "no\u001b[2J such file" };
  assert.deepEqual(
    lines([
      event({ type: "item.completed", data: { item: call({ status: "failed", input: { path: "a" }, error }) } }),
      event({ type: "item.completed", data: { item: call({ status: "interrupted" }) } }),
      event({ type: "item.completed", data: { item: call({ status: "completed", background: true }) } }),
    ]),
    ['✗ bash {"path":"a"}: no\\u001b[2J such file', "✗ bash: interrupted", "… bash: goes on in the background"],
  );
});

test("retries, notes and plans are told; the rest is not", () => {
  assert.deepEqual(
    lines([
      event({ type: "turn.status", data: { status: "retrying", attempt: 2, message: "overloaded", next: 0 } }),
      event({ type: "turn.status", data: { status: "running" } }),
      event({ type: "session.note", data: { text: "one\nline" } }),
      event({
        type: "plan.updated",
        data: {
          entries: [
            { text: "a", status: "completed" },
            { text: "b", status: "in_progress" },
          ],
        },
      }),
      event({ type: "turn.ended", data: { reason: "end_turn" } }),
    ]),
    ["~ trying again (attempt 2): overloaded", "· one line", "· plan 1/2 b"],
  );
});
