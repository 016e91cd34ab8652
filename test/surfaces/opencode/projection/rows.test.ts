import assert from "node:assert/strict";
import { test } from "node:test";
import type { Projected } from "../../../../src/surfaces/opencode/projection/outbox.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import { EDITED, Story } from "./story.ts";

/** One word for an event, with what tells it from others of its type. */
function word({ event: { type, properties } }: Projected): string {
  switch (type) {
    case "session.status":
      return `${type} ${properties.status.type}`;
    case "message.updated": {
      const { info } = properties;
      return `${type} ${info.role}${info.role === "assistant" && info.time.completed !== undefined ? " completed" : ""}`;
    }
    case "message.part.updated": {
      const { part } = properties;
      return `${type} ${part.type === "tool" ? `tool ${part.state.status}` : part.type}`;
    }
    default:
      return type;
  }
}

/** The projected events of the last event of a story. */
function lastWords(tell: (story: Story) => Story, act: (story: Story) => unknown): string[] {
  const story = tell(new Story());
  const before = story.world.events.length;
  act(story);
  const view = new SessionView(undefined);
  return story.world.events.flatMap((event, at) => {
    const said = view.apply(event).map(word);
    return at < before ? [] : said;
  });
}

const begun = (story: Story): Story => story.prompt().step();
const speaking = (story: Story): Story => {
  begun(story).world.signal({ type: "text", item: "m", kind: "message", delta: "I'll " });
  return story;
};
const seen = (story: Story): Story => begun(story).see("c", "bash");
const running = (story: Story): Story => begun(story).run("c", "bash", { command: "ls" });
const asked = (story: Story): Story => seen(story).ask("c", "bash", "ls");
const questioned = (story: Story): Story => begun(story).run("c", "question").question("c");

const ROWS: [row: string, tell: (story: Story) => Story, act: (story: Story) => unknown, words: string[]][] = [
  [
    "ItemStarted(Message): a message and its part",
    (story) => story.prompt(),
    (story) => story.world.signal({ type: "text", item: "m", kind: "message", delta: "" }),
    ["message.updated assistant", "message.part.updated step-start", "message.part.updated text"],
  ],
  [
    "ItemDelta: a delta of the part",
    speaking,
    (story) => story.world.signal({ type: "text", item: "m", kind: "message", delta: "read" }),
    ["message.part.delta"],
  ],
  [
    "ItemCompleted(Message): the whole part, and nobody is idle",
    speaking,
    (story) => story.world.signal({ type: "text.done", item: "m", kind: "message" }),
    ["message.part.updated text"],
  ],
  [
    "ItemStarted(ToolCall): a part that is pending",
    begun,
    (story) => story.see("c", "bash"),
    ["message.part.updated step-start", "message.part.updated tool pending"],
  ],
  [
    "ItemUpdated(ToolCall): it runs",
    seen,
    (story) => story.world.signal({ type: "tool.running", call: "c", input: { command: "ls" } }),
    ["message.part.updated tool running"],
  ],
  [
    "ItemStarted(ToolResult) and its deltas: it runs, with what it has written",
    running,
    (story) => story.world.signal({ type: "tool.output", call: "c", delta: "a.txt\n" }),
    ["message.part.updated tool running"],
  ],
  [
    "ItemCompleted(ToolResult): files were changed, and the tool is completed",
    running,
    (story) => story.done("c", { files: [EDITED], output: "" }),
    ["file.edited", "message.part.updated tool completed"],
  ],
  [
    "ItemCompleted(ToolResult) of a tool that failed: an error",
    running,
    (story) => story.fail("c", "no such command"),
    ["message.part.updated tool error"],
  ],
  [
    "SessionEnded after the turn: nobody is idle a second time",
    (story) => begun(story).say("Done!").end(),
    (story) => story.world.exit(),
    [],
  ],
  ["PermissionRequested", running, (story) => story.ask("c", "bash", "ls"), ["permission.asked"]],
  [
    "PermissionRequested for a call that has not begun: it is shown as running first",
    seen,
    (story) => story.ask("c", "bash", "ls"),
    ["message.part.updated tool running", "permission.asked"],
  ],
  [
    "PermissionResolved: once, always or reject",
    asked,
    (story) => story.answer({ kind: "permission", outcome: "reject" }),
    ["permission.replied"],
  ],
  [
    "QuestionRequested",
    (story) => begun(story).run("c", "question"),
    (story) => story.question("c"),
    ["question.asked"],
  ],
  [
    "QuestionResolved by an answer",
    questioned,
    (story) => story.answer({ kind: "question", outcome: "answered", answers: [["Blue"]] }),
    ["question.replied"],
  ],
  [
    "QuestionResolved by a refusal",
    questioned,
    (story) => story.answer({ kind: "question", outcome: "rejected" }),
    ["question.rejected"],
  ],
  [
    "Error of a turn: once, before the one idle",
    begun,
    (story) => story.world.exit(),
    [
      "message.updated assistant completed",
      "message.updated user",
      "session.error",
      "session.updated",
      "session.diff",
      "session.status idle",
      "session.idle",
    ],
  ],
  [
    "Error without a turn",
    (story) => story,
    (story) => story.world.signal({ type: "error", error: { code: "boom", message: "it broke" } }),
    ["session.error"],
  ],
];

for (const [row, tell, act, words] of ROWS) test(`A3 ${row}`, () => assert.deepEqual(lastWords(tell, act), words));

test("A3 the reply to a permission says what was answered", () => {
  for (const outcome of ["once", "always", "reject"] as const) {
    const said = asked(new Story()).answer({ kind: "permission", outcome }).said();
    const replied = said.find(({ type }) => type === "permission.replied");
    assert.equal(replied?.type === "permission.replied" && replied.properties.reply, outcome);
  }
});

test("A5 read, edit, answer: the 17 events of what is expected, busy once and idle once", () => {
  const story = new Story();
  story.prompt().step().say("I'll read it.").run("c1", "read").done("c1").endStep("tool-calls");
  story
    .step()
    .say("Now I'll edit it.")
    .run("c2", "edit")
    .done("c2", { files: [EDITED] })
    .endStep("tool-calls");
  story.step().say("Done!").endStep("stop").end();
  const words = story.projected().map(word);
  const expected = [
    "session.status busy",
    "message.updated user",
    "message.part.updated text",
    "message.updated assistant",
    "message.part.updated text",
    "message.part.delta",
    "message.part.updated tool pending",
    "message.part.updated tool running",
    "message.part.updated tool completed",
    "message.part.updated text",
    "message.part.updated tool pending",
    "message.part.updated tool running",
    "message.part.updated tool completed",
    "message.part.updated text",
    "message.updated assistant completed",
    "session.status idle",
    "session.idle",
  ];
  let at = 0;
  for (const one of expected) {
    const found = words.indexOf(one, at);
    assert.ok(found >= 0, `${one} after ${words[at - 1]}`);
    at = found + 1;
  }
  assert.equal(at, words.length, "nothing comes after idle");
  const count = (one: string): number => words.filter((other) => other === one).length;
  assert.deepEqual([count("session.status busy"), count("session.status idle"), count("session.idle")], [1, 1, 1]);
  assert.deepEqual([count("message.updated assistant"), count("message.updated assistant completed")], [3, 3]);
  for (const status of ["pending", "running", "completed"])
    assert.equal(count(`message.part.updated tool ${status}`), 2);
});

test("B4 all part types", () => {
  const story = new Story();
  const opencode = { type: "subtask", prompt: "look", description: "Look", agent: "explore" };
  story.world.command({
    type: "prompt",
    prompt: {
      id: "msg_1",
      parts: [
        { type: "text", text: "look at this" },
        { type: "file", path: "a.png", mime: "image/png" },
        { type: "text", text: "@explore", opencode: { type: "agent", name: "explore" } },
        { type: "text", text: "explore: look", opencode },
      ],
    },
  });
  story
    .step()
    .say("Hm.", "reasoning")
    .say("Well.")
    .run("c", "edit")
    .done("c", { files: [EDITED] })
    .endStep("stop")
    .end();
  const types = story
    .view()
    .messages()
    .map(({ parts }) => parts.map(({ type }) => type));
  assert.deepEqual(types, [
    ["text", "file", "agent", "subtask"],
    ["step-start", "reasoning", "text", "tool", "step-finish", "patch"],
  ]);
});

test("B4 a compaction is asked for by a part of its own, and answered by a summary", () => {
  const story = new Story();
  const parts = [{ type: "text" as const, text: "Summarize.", synthetic: true }];
  story.world.command({ type: "prompt", prompt: { id: "msg_1", parts, task: { type: "compact" } } });
  story.step().say("So far.").endStep("stop").end();
  const [user, answer] = story.view().messages();
  assert.deepEqual(
    user?.parts.map(({ type }) => type),
    ["compaction", "text"],
  );
  assert.partialDeepStrictEqual(answer?.info, {
    summary: true,
    mode: "compaction",
    agent: "compaction",
    finish: "stop",
  });
});
