import assert from "node:assert/strict";
import { test } from "node:test";
import { callsIn, conversationOf } from "../../../src/agents/house/past/history.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import type { Item } from "../../../src/core/events/items.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "../../core/ledger/world.ts";

let seq = 0;

function event(type: "item.started" | "item.completed", item: Item, turn: string): ParleyEvent {
  seq += 1;
  return { id: `s:${seq}`, seq, session: "s", turn, time: 0, source: "agent", type, data: { item } };
}

/** An item from its beginning to its end, with nothing between. */
const whole = (item: Item, turn = "t1"): ParleyEvent[] => [
  event("item.started", item, turn),
  event("item.completed", item, turn),
];

const user = (id: string, text: string, more: object = {}): Item => ({
  id,
  kind: "message",
  role: "user",
  status: "completed",
  text,
  ...more,
});
const said = (id: string, text: string, step = 1, status: Item["status"] = "completed"): Item => ({
  id,
  kind: "message",
  role: "assistant",
  status,
  text,
  step,
});
const called = (id: string, call: string, more: object = {}): Item => ({
  id,
  kind: "tool_call",
  call,
  name: "read",
  status: "completed",
  input: { path: "a" },
  step: 1,
  ...more,
});
const result = (id: string, call: string, text: string, more: object = {}): Item => ({
  id,
  kind: "tool_result",
  call,
  status: "completed",
  text,
  step: 1,
  ...more,
});

const texts = (...words: string[]) => words.map((text) => ({ type: "text", text }));
const toolCall = (id: string) => ({ type: "tool-call", toolCallId: id, toolName: "read", input: { path: "a" } });
const toolResult = (id: string, value: string, type = "text") => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "read",
  output: { type, value },
});

const cases: [name: string, events: ParleyEvent[], messages: unknown[]][] = [
  ["nothing", [], []],
  [
    "a question and its answer",
    [...whole(user("u", "hi")), ...whole(said("m", "hello"))],
    [
      { role: "user", content: texts("hi") },
      { role: "assistant", content: texts("hello") },
    ],
  ],
  [
    "a call, its result, and the step after it",
    [
      ...whole(user("u", "hi")),
      ...whole(said("m", "I look")),
      ...whole(called("c", "c1")),
      ...whole(result("r", "c1", "content")),
      ...whole(said("n", "done", 2)),
    ],
    [
      { role: "user", content: texts("hi") },
      { role: "assistant", content: [...texts("I look"), toolCall("c1")] },
      { role: "tool", content: [toolResult("c1", "content")] },
      { role: "assistant", content: texts("done") },
    ],
  ],
  [
    "words for a running turn come after the results of the step they interrupted",
    [
      ...whole(user("u", "hi")),
      event("item.started", called("c", "c1"), "t1"),
      ...whole(user("v", "quick", { steered: true })),
      event("item.completed", called("c", "c1"), "t1"),
      ...whole(result("r", "c1", "content")),
    ],
    [
      { role: "user", content: texts("hi") },
      { role: "assistant", content: [toolCall("c1")] },
      { role: "tool", content: [toolResult("c1", "content")] },
      { role: "user", content: texts("quick") },
    ],
  ],
  [
    "what was taken back was never said, nor was reasoning",
    [
      ...whole(user("u", "hi")),
      ...whole(said("m", "half", 1, "retracted")),
      ...whole({ id: "x", kind: "reasoning", status: "completed", text: "hm", step: 1 }),
      ...whole(said("n", "whole")),
    ],
    [
      { role: "user", content: texts("hi") },
      { role: "assistant", content: texts("whole") },
    ],
  ],
  [
    "a call that failed, and one that never got its input",
    [
      ...whole(user("u", "hi")),
      ...whole(called("c", "c1", { status: "failed", error: { code: "rejected", message: "refused" } })),
      ...whole(called("d", "c2", { status: "failed", input: undefined })),
    ],
    [
      { role: "user", content: texts("hi") },
      { role: "assistant", content: [toolCall("c1")] },
      { role: "tool", content: [toolResult("c1", "refused", "error-text")] },
    ],
  ],
  [
    "a result whose call is no longer kept",
    [...whole(result("r", "c0", "content")), ...whole(user("u", "hi"), "t2")],
    [{ role: "user", content: texts("hi") }],
  ],
  [
    "an item that was never completed",
    [...whole(user("u", "hi")), event("item.started", said("m", ""), "t1")],
    [{ role: "user", content: texts("hi") }],
  ],
  [
    "files: content that came along stays, files by path are named",
    whole(
      user("u", "see", {
        content: [
          { type: "text", text: "see" },
          { type: "file", path: "a.md" },
          { type: "file", url: "data:image/png;base64,iVBORw0KGgo=" },
          { type: "file", url: "data:text/plain,hi%20there", name: "b.txt" },
        ],
      }),
    ),
    [
      {
        role: "user",
        content: [
          ...texts("see", "(the user attached a.md)"),
          { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" },
          ...texts("b.txt:\nhi there"),
        ],
      },
    ],
  ],
];

for (const [name, events, messages] of cases) {
  test(`the conversation of ${name}`, () => assert.deepEqual(conversationOf(events), messages));
}

test("a call that a crash interrupted says so beside what it had written; one without its input is left out", () => {
  const w = new World({ step, newLedger, restore }, {}).prompt("msg_1");
  w.signal({ type: "step.begun", step: "s" }).signal({ type: "tool.seen", call: "a", name: "read" });
  for (const id of ["b", "c"]) w.signal({ type: "tool.seen", call: id, name: "bash", input: { command: id } });
  w.signal({ type: "permission", ask: "p", call: "b", action: "bash" }).signal({ type: "tool.running", call: "c" });
  w.signal({ type: "tool.output", call: "c", delta: "half of it" }).command({ type: "crashed" });
  const why = "interrupted: the turn ended before the tool did";
  assert.deepEqual(conversationOf(w.events).at(-1)?.content, [
    { ...toolResult("b", why, "error-text"), toolName: "bash" },
    { ...toolResult("c", `half of it\n(${why})`, "error-text"), toolName: "bash" },
  ]);
});

test("a conversation whose beginning is forgotten begins with the user", () => {
  const events = [
    ...whole(said("a", "…the end of it.")),
    ...whole(user("u", "next"), "t2"),
    ...whole(said("b", "Yes."), "t2"),
  ];
  assert.deepEqual(
    conversationOf(events).map(({ role }) => role),
    ["user", "assistant"],
  );
  assert.deepEqual(conversationOf(whole(said("a", "…the end of it."))), []);
});

test("the ids of all calls are known", () => {
  assert.deepEqual(callsIn([...whole(called("c", "c1")), ...whole(user("u", "hi")), ...whole(called("d", "c2"))]), [
    "c1",
    "c2",
  ]);
});
