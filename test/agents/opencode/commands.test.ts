import assert from "node:assert/strict";
import { test } from "node:test";
import { replyTo } from "../../../src/agents/opencode/asks.ts";
import { assertAllowed, calledCommand } from "../../../src/agents/opencode/commands.ts";

const called = (template: unknown, words = "", more: object = {}) =>
  calledCommand({ name: "do", words }, { name: "do", template, ...more });

for (const [name, template, words, lines, doubt] of [
  ["no shell", "look at $ARGUMENTS", "a; b", [], undefined],
  ["lines of shell", "a !`git log`, then !`ls -l\npwd`", "", ["git log", "ls -l\npwd"], undefined],
  ["plain words in a line", "!`git log $1`", "main --oneline", ["git log $1"], undefined],
  ["words that are shell in a line", "!`git log $ARGUMENTS`", "; rm x", ["git log $ARGUMENTS"], /line of shell/],
  ["words that are a line", "$ARGUMENTS", "!`rm x`", [], /among its words/],
  ["words that end a line", "!`git log $1`", "a` b", ["git log $1"], /among its words/],
  ["a text that is not told", {}, "", [], /not known/],
] as const) {
  test(`a command's lines: ${name}`, () => {
    const command = called(template, words);
    assert.deepEqual(command.lines, lines);
    assert.match(command.doubt ?? "", doubt ?? /^$/);
  });
}

test("a command is refused with its first line that is, and where rules cannot hold", async () => {
  const heard: string[] = [];
  const hear = async (line: string): Promise<string | undefined> => {
    heard.push(line);
    return line === "rm x" ? "a rule denies it" : undefined;
  };
  await assert.rejects(assertAllowed(called("!`ls` !`rm x` !`pwd`"), true, hear), /a rule denies it/);
  assert.deepEqual(heard, ["ls", "rm x"]);
  await assert.rejects(assertAllowed(called({}), true, hear), /rules cannot hold for \/do/);
  const task = called("do it", "", { subtask: true, agent: "general" });
  assert.equal(task.agent, "general");
  await assertAllowed(task, true, hear);
  await assert.rejects(assertAllowed(task, false, hear), /sub-agent/);
});

test("nothing is allowed while a turn is being stopped", () => {
  const bodies = (["once", "always"] as const).map((outcome) => [
    replyTo({ kind: "permission", outcome }, true).body.reply,
    replyTo({ kind: "permission", outcome }, false).body.reply,
  ]);
  assert.deepEqual(bodies, [
    ["once", "reject"],
    ["once", "reject"],
  ]);
});
