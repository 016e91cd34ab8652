import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { PermissionRequest } from "../../../../src/surfaces/opencode/shapes/ask.ts";
import { Story } from "./story.ts";

const begun = (): Story => new Story().prompt().step();

function permission(story: Story): PermissionRequest {
  const [request] = story.view().asks().permissions;
  assert.ok(request);
  return request;
}

test("a permission to edit shows the file and the diff, and the call it is for", () => {
  const story = begun();
  story.world.signal({ type: "tool.seen", call: "c", name: "edit", input: { path: "a.md", old: "x", new: "y" } });
  const about = { call: "c", title: "a.md", metadata: { diff: "--- a" } };
  story.world.signal({ type: "permission", ask: "a", action: "edit", patterns: ["a.md"], ...about });
  const message = story.view().messages().at(-1);
  const { id, ...request } = permission(story);
  assert.match(id, /^per_/);
  assert.deepEqual(request, {
    sessionID: "ses_test",
    permission: "edit",
    patterns: ["a.md"],
    metadata: { title: "a.md", filepath: "/project/a.md", diff: "--- a" },
    always: ["a.md"],
    tool: { messageID: message?.info.id, callID: "c" },
  });
});

test("a permission to run a command has the command where dialogs look for it", () => {
  const story = begun().run("c", "Bash", { command: "ls" });
  story.world.signal({ type: "permission", ask: "a", action: "Bash", patterns: ["ls"], call: "c" });
  assert.partialDeepStrictEqual(permission(story), { permission: "bash", metadata: { command: "ls" } });
  const part = story
    .view()
    .messages()
    .at(-1)
    ?.parts.find((one) => one.type === "tool");
  assert.ok(part?.type === "tool" && part.state.status === "running");
});

test("a permission to write is shown as one to edit", () => {
  const story = begun();
  story.world.signal({
    type: "permission",
    ask: "a",
    action: "Write",
    patterns: ["a.md"],
    input: { file_path: "a.md" },
  });
  const { permission: name, metadata, tool } = permission(story);
  assert.deepEqual([name, metadata.filepath, tool], ["edit", "/project/a.md", undefined]);
});

test("an edit shows what it would change, also of an agent that only says the words", () => {
  const story = begun();
  const input = { file_path: "a.md", old_string: "one\n", new_string: "one\ntwo\n" };
  story.world.signal({ type: "permission", ask: "a", action: "Edit", patterns: ["a.md"], input });
  assert.equal(permission(story).metadata.diff, "--- a/a.md\n+++ b/a.md\n@@ -1 +1,2 @@\n one\n+two\n");
});

test("`always` is offered only where the agent offers it", () => {
  const story = begun();
  const once = [{ id: "y", kind: "once" as const }];
  story.world.signal({ type: "permission", ask: "a", action: "fly", options: once });
  story.world.signal({ type: "permission", ask: "b", action: "swim" });
  assert.deepEqual(
    story
      .view()
      .asks()
      .permissions.map(({ always }) => always),
    [[], ["*"]],
  );
});

test("a question has a header and a description for each option, as clients expect", () => {
  const story = begun().run("c", "question");
  const questions = [
    { question: "Which?", options: [{ label: "Red" }], multiple: true, custom: false },
    { question: "Why?", header: "Reason", options: [] },
  ];
  story.world.signal({ type: "question", ask: "q", questions, call: "c" });
  const [request] = story.view().asks().questions;
  assert.deepEqual(request?.questions, [
    {
      question: "Which?",
      header: "Question 1",
      options: [{ label: "Red", description: "" }],
      multiple: true,
      custom: false,
    },
    { question: "Why?", header: "Reason", options: [] },
  ]);
  assert.equal(request?.tool?.callID, "c");
});

test("asks that are open when the turn is stopped are refused, so that no dialog stays", () => {
  const story = begun().run("c", "bash").ask("c", "bash", "ls").question("c").cancel().end("cancelled");
  const replies = story.said().filter(({ type }) => type === "permission.replied" || type === "question.rejected");
  assert.deepEqual(
    replies.map(({ type }) => type),
    ["permission.replied", "question.rejected"],
  );
  assert.ok(replies[0]?.type === "permission.replied" && replies[0].properties.reply === "reject");
  assert.deepEqual(story.view().asks(), { permissions: [], questions: [] });
});

test("a view that begins during an ask knows the ask", () => {
  const story = begun().ask("c", "bash", "ls").question("c");
  const { permissions, questions } = new SessionView(story.world.session).asks();
  assert.deepEqual([permissions.length, questions.length], [1, 1]);
});

test("a deletion without the events before it leaves no client waiting", () => {
  const story = begun().run("c", "Bash", { command: "ls" });
  story.world.signal({ type: "permission", ask: "a", action: "Bash", patterns: ["ls"], call: "c" });
  const view = new SessionView(undefined);
  for (const event of story.world.events) view.apply(event);
  const [last] = story.world.events.slice(-1);
  assert.ok(last);
  const { turn: _, ...rest } = last;
  const said = view.apply({ ...rest, seq: last.seq + 9, type: "session.ended", data: { reason: "deleted" } });
  assert.deepEqual(
    said.map(({ event: { type } }) => type),
    ["session.deleted", "permission.replied", "session.status", "session.idle"],
  );
});

test("an ask that a rule answers is not told, an ask that a rule answers later is told with its answer", () => {
  const story = new Story();
  const rules = [{ action: "edit", pattern: "*", verdict: "allow" } as const];
  story.world.command({ type: "update", facts: { permissions: rules } });
  story.prompt().step().run("c", "edit").ask("c", "edit", "a.md").run("d", "bash").ask("d", "bash", "ls");
  const told = (): string[] =>
    story.said().flatMap(({ type }) => (/^(permission|question)\./.test(type) ? [type.toString()] : []));
  assert.deepEqual(told(), ["permission.asked"]);
  assert.deepEqual(
    story
      .view()
      .asks()
      .permissions.map(({ permission }) => permission),
    ["bash"],
  );
  story.world.command({ type: "update", facts: { permissions: [{ action: "*", pattern: "*", verdict: "allow" }] } });
  assert.deepEqual(told(), ["permission.asked", "permission.replied"]);
});

test("an ask that comes before its call names the message in which the call is shown, as running", () => {
  const story = begun();
  story.world.signal({ type: "permission", ask: "a", action: "bash", patterns: ["ls"], call: "late" });
  const { tool } = permission(story);
  story.see("late", "Bash");
  const shown = story
    .view()
    .messages()
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool" ? [part] : [])));
  assert.deepEqual(
    shown.map(({ messageID, callID, state }) => [{ messageID, callID }, state.status]),
    [[tool, "running"]],
  );
});
