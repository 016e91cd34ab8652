import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveOutput } from "../../../../src/surfaces/opencode/projection/live-output.ts";
import { toolInput } from "../../../../src/surfaces/opencode/projection/tools/input.ts";
import { toolName } from "../../../../src/surfaces/opencode/projection/tools/names.ts";
import type { ToolPart, ToolState } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { EDITED, Story } from "./story.ts";

const NAMES: [theirs: string, ours: string][] = [
  ["todo", "todowrite"],
  ["TodoWrite", "todowrite"],
  ["update_plan", "todowrite"],
  ["Read", "read"],
  ["Bash", "bash"],
  ["shell", "bash"],
  ["MultiEdit", "edit"],
  ["AskUserQuestion", "question"],
  ["Task", "task"],
  ["WebFetch", "webfetch"],
  ["apply_patch", "apply_patch"],
  ["mcp__git__Log", "mcp__git__Log"],
  ["constructor", "constructor"],
];

for (const [theirs, ours] of NAMES) test(`the tool ${theirs} is ${ours}`, () => assert.equal(toolName(theirs), ours));

const INPUTS: [tool: string, input: unknown, shown: object][] = [
  ["read", { path: "a.md" }, { filePath: "/project/a.md" }],
  ["read", { file_path: "/etc/hosts", limit: 5 }, { filePath: "/etc/hosts", limit: 5 }],
  ["read", { filePath: "a.md", path: "b.md" }, { filePath: "/project/a.md", path: "b.md" }],
  [
    "edit",
    { path: "a.md", old: "x", new: "y", all: true },
    { filePath: "/project/a.md", oldString: "x", newString: "y", replaceAll: true },
  ],
  [
    "edit",
    { file_path: "a.md", old_string: "x", new_string: "y", replace_all: false },
    { filePath: "/project/a.md", oldString: "x", newString: "y" },
  ],
  ["bash", { command: ["bash", "-lc", "ls"] }, { command: "bash -lc ls" }],
  ["bash", { cmd: "ls" }, { command: "ls" }],
  ["grep", { pattern: "x", path: "src" }, { pattern: "x", path: "src" }],
  [
    "todowrite",
    { todos: [{ text: "First", status: "pending" }] },
    { todos: [{ text: "First", status: "pending", content: "First", priority: "medium" }] },
  ],
  [
    "question",
    { questions: [{ question: "Which?", options: [{ label: "Red" }] }] },
    { questions: [{ question: "Which?", header: "", options: [{ label: "Red" }] }] },
  ],
  ["task", { task: "look", agent: "explore" }, { prompt: "look", subagent_type: "explore" }],
  ["mystery", { path: "a.md" }, { path: "a.md" }],
  ["mystery", "just text", { input: "just text" }],
  ["mystery", ["a"], { input: ["a"] }],
  ["mystery", undefined, {}],
  ["mystery", null, {}],
];

for (const [tool, input, shown] of INPUTS)
  test(`${tool} of ${JSON.stringify(input)}`, () => assert.deepEqual(toolInput(tool, input, "/project"), shown));

function tools(story: Story): ToolPart[] {
  return story.said().flatMap((event) => {
    const part = event.type === "message.part.updated" ? event.properties.part : undefined;
    return part?.type === "tool" ? [part] : [];
  });
}

function last(story: Story): ToolState {
  const state = tools(story).at(-1)?.state;
  assert.ok(state);
  return state;
}

function completed(story: Story): Extract<ToolState, { status: "completed" }> {
  const state = last(story);
  assert.ok(state.status === "completed", JSON.stringify(state));
  return state;
}

const begun = (): Story => new Story().prompt().step();

/** The states of all calls, in their order. */
function toolStates(story: Story): ToolState[] {
  return story
    .view()
    .messages()
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [part.state] : [])));
}

test("an edit shows its diff", () => {
  const state = completed(
    begun()
      .run("c", "edit", { path: "README.md" })
      .done("c", { files: [EDITED] }),
  );
  assert.partialDeepStrictEqual(state.metadata, {
    diff: EDITED.diff,
    filediff: { file: "/project/README.md", patch: EDITED.diff, additions: 1, deletions: 0 },
    diagnostics: {},
  });
});

test("a new file shows where it is and that it was not there", () => {
  const files = [{ ...EDITED, kind: "added" as const }];
  const state = completed(begun().run("c", "write", { path: "README.md", content: "x" }).done("c", { files }));
  assert.partialDeepStrictEqual(state.metadata, { filepath: "/project/README.md", exists: false, diff: EDITED.diff });
});

test("a patch of several files shows each", () => {
  const files = [
    EDITED,
    { path: "b.txt", kind: "renamed" as const, from: "a.txt" },
    { path: "c.txt", kind: "deleted" as const },
  ];
  const { metadata } = completed(begun().run("c", "file_change").done("c", { files }));
  assert.deepEqual(
    (metadata.files as { type: string; relativePath: string }[]).map(({ type, relativePath }) => [type, relativePath]),
    [
      ["update", "README.md"],
      ["move", "b.txt"],
      ["delete", "c.txt"],
    ],
  );
});

test("a reading shows the first lines, without numbers", () => {
  const output = Array.from({ length: 30 }, (_, at) => `${at + 1}: line ${at + 1}`).join("\n");
  const { metadata, output: whole } = completed(begun().run("c", "read", { path: "a" }).done("c", { output }));
  assert.equal(whole, output);
  assert.equal(metadata.preview, Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n"));
});

test("a command shows what it writes while it runs, and its exit code at the end", () => {
  const story = begun().run("c", "bash", { command: "ls" });
  story.world
    .signal({ type: "tool.output", call: "c", delta: "a\n" })
    .signal({ type: "tool.output", call: "c", delta: "b\n" });
  story.done("c", { output: "a\nb\n", metadata: { exitCode: 3 } });
  const outputs = tools(story).map(({ state }) => (state.status === "running" ? state.metadata?.output : state.status));
  assert.deepEqual(outputs, ["pending", "", "a\n", "a\nb\n", "completed"]);
  assert.partialDeepStrictEqual(completed(story).metadata, { output: "a\nb\n", exit: 3, exitCode: 3 });
});

test("a command that was stopped keeps what it wrote", () => {
  const story = begun().run("c", "bash", { command: "ls" });
  story.world.signal({ type: "tool.output", call: "c", delta: "a\n" });
  story.cancel().end("cancelled");
  const state = last(story);
  assert.partialDeepStrictEqual(state, { status: "error", metadata: { output: "a\n", exit: null, interrupted: true } });
});

test("other tools show their output when it is whole", () => {
  const story = begun().run("c", "read");
  story.world.signal({ type: "tool.output", call: "c", delta: "a\n" });
  story.done("c", { output: "a\n" });
  assert.deepEqual(
    tools(story).map(({ state }) => state.status),
    ["pending", "running", "completed"],
  );
});

test("a long output is shown by its end, and not for each word anew", () => {
  const live = new LiveOutput();
  let shown = 0;
  for (let at = 0; at < 20_000; at++) if (live.add("0123456789")) shown += 1;
  assert.ok(live.text.length <= 30_000 && live.text.endsWith("0123456789"));
  assert.ok(shown < 2_000, `${shown} times`);
});

test("the answers to a question are shown with it", () => {
  const story = begun().run("c", "question", { questions: [] }).question("c");
  story.answer({ kind: "question", outcome: "answered", answers: [["Blue"]] }).done("c");
  assert.deepEqual(completed(story).metadata.answers, [["Blue"]]);
});

test("a call of a sub-agent names its session, also while it runs", () => {
  const story = begun().run("c", "task", { task: "look" });
  story.world.signal({ type: "tool.seen", call: "c", child: "ses_child" });
  assert.partialDeepStrictEqual(last(story), {
    status: "running",
    metadata: { sessionId: "ses_child", parentSessionId: "ses_test" },
  });
  story.done("c", { metadata: { tokens: 5 } });
  assert.partialDeepStrictEqual(completed(story).metadata, { sessionId: "ses_child", tokens: 5 });
});

test("a call that goes on in the background says so", () => {
  const story = begun().run("c", "bash", { command: "sleep 9" });
  story.world.signal({ type: "tool.backgrounded", call: "c" });
  assert.equal(completed(story).metadata.background, true);
});

test("name, input and title stay through all states", () => {
  const story = begun();
  story.world.signal({ type: "tool.seen", call: "c", name: "Read", title: "a.md", input: { path: "a.md" } });
  story.world.signal({ type: "tool.running", call: "c" });
  story.done("c");
  for (const { tool, state } of tools(story)) {
    assert.equal(tool, "read");
    assert.deepEqual(state.input, { filePath: "/project/a.md" });
  }
  assert.equal(completed(story).title, "a.md");
});

const BLOCKS: [what: string, block: object, file: object][] = [
  [
    "a picture",
    { type: "image", data: "AA", mimeType: "image/png" },
    { mime: "image/png", url: "data:image/png;base64,AA" },
  ],
  [
    "a picture with a source",
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
    { mime: "image/png", url: "data:image/png;base64,AA" },
  ],
  [
    "a link to a resource",
    { type: "resource_link", uri: "file:///a.txt", name: "a.txt", mimeType: "text/plain" },
    { mime: "text/plain", url: "file:///a.txt", filename: "a.txt" },
  ],
  [
    "a picture in a wrapper",
    { type: "content", content: { type: "image", data: "AA", mimeType: "image/png" } },
    { mime: "image/png", url: "data:image/png;base64,AA" },
  ],
];

for (const [what, block, file] of BLOCKS) {
  test(`A3 file parts: ${what} in a tool's output is attached`, () => {
    const state = completed(
      begun()
        .run("c", "look")
        .done("c", { content: [{ type: "text", text: "x" }, block] }),
    );
    assert.deepEqual(
      state.attachments?.map(({ id: _, sessionID: __, messageID: ___, ...rest }) => rest),
      [{ type: "file", ...file }],
    );
  });
}

test("a call's time is that of its running", () => {
  const story = begun().see("c", "read");
  const seen = story.world.now;
  story.world.signal({ type: "tool.running", call: "c" });
  const started = story.world.now;
  story.done("c");
  assert.notEqual(seen, started);
  assert.deepEqual(completed(story).time, { start: started, end: story.world.now });
});

test("the words of a refusal are shown once: a command's output that is its error is left out", () => {
  const refused = { ok: false, output: "Refused.", error: { code: "rejected", message: "Refused." } };
  const other = { ...refused, output: "half of it\n" };
  const story = new Story().prompt().step().run("c", "Bash", { command: "ls" }).done("c", refused);
  story.run("d", "Bash", { command: "ls" }).done("d", other);
  const states = toolStates(story);
  assert.deepEqual(
    states.map((state) => state.status === "error" && [state.error, state.metadata?.output]),
    [
      ["Refused.", undefined],
      ["Refused.", "half of it\n"],
    ],
  );
});

const TASKS: [name: string, input: object, title: string | undefined, description: string][] = [
  ["its own", { description: "Look", prompt: "Look around." }, "A title", "Look"],
  ["the call's title", { prompt: "Look around." }, "A title", "A title"],
  [
    "the prompt's first sentence",
    { description: " ", prompt: "Look around here. Then tell." },
    undefined,
    "Look around here",
  ],
  ["some words", {}, undefined, "Work of its own"],
];

for (const [name, input, title, description] of TASKS)
  test(`a task is described by ${name}, while it runs and afterwards`, () => {
    const story = new Story().prompt().step();
    story.world.signal({
      type: "tool.running",
      call: "c",
      name: "Task",
      input,
      ...(title === undefined ? {} : { title }),
    });
    const [running] = toolStates(story);
    assert.equal(running?.status === "running" && running.input.description, description);
    const [done] = toolStates(story.done("c"));
    assert.equal(done?.status === "completed" && done.input.description, description);
  });

test("a call of an answer that was cut off is taken back with the answer's text", () => {
  const story = new Story().prompt().step().see("c", "Read");
  const error = { code: "retracted", message: "the model's answer was cut off before the call was whole" };
  story.world.signal({ type: "tool.done", call: "c", ok: false, error });
  assert.deepEqual(toolStates(story), []);
  assert.ok(story.said().some(({ type }) => type === "message.part.removed"));
  story.say("The whole answer.").end();
  assert.deepEqual(toolStates(story), []);
});
