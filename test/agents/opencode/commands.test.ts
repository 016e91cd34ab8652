import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { replyTo } from "../../../src/agents/opencode/asks.ts";
import { assertAllowed, calledCommand } from "../../../src/agents/opencode/commands.ts";
import { namedFiles } from "../../../src/agents/opencode/named-files.ts";
import { temporary } from "../../support/server.ts";

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
  const one = async (said: string): Promise<string | undefined> => {
    heard.push(said);
    return said === "rm x" || said === "/work/.env" ? "a rule denies it" : undefined;
  };
  const hear = { line: one, file: one };
  await assert.rejects(assertAllowed(called("!`ls` !`rm x` !`pwd`"), [], true, hear), /a rule denies it/);
  assert.deepEqual(heard, ["ls", "rm x"]);
  await assert.rejects(assertAllowed(called("!`ls`"), ["/work/a", "/work/.env"], true, hear), /a rule denies it/);
  assert.deepEqual(heard.slice(2), ["ls", "/work/a", "/work/.env"]);
  await assert.rejects(assertAllowed(called({}), [], true, hear), /rules cannot hold for \/do/);
  const task = called("do it", "", { subtask: true, agent: "general" });
  assert.equal(task.agent, "general");
  await assertAllowed(task, [], true, hear);
  await assert.rejects(assertAllowed(task, [], false, hear), /sub-agent/);
});

for (const [template, words, text] of [
  ["look at $ARGUMENTS, $ARGUMENTS", "a $1", "look at a $1, a $1"],
  ["@$1 and @$2", "a 'b c' d", "@a and @b c d"],
  ["$2 $1", "a", " a"],
  ["do it", "now", "do it\n\nnow"],
] as const)
  test(`the text of a command: ${template} with ${words}`, () => assert.equal(called(template, words).text, text));

test("files that a text names are found as the program reads them, and others are not", async (t) => {
  const directory = await temporary({ after: (close) => t.after(close) });
  const inner = join(directory, "repo", "src");
  mkdirSync(inner, { recursive: true });
  mkdirSync(join(directory, "repo", ".git"));
  for (const path of ["repo/.env", "repo/src/a.ts", "mine"]) writeFileSync(join(directory, path), "");
  const named = (text: string): string[] =>
    namedFiles(text, inner, directory).map((path) => path.slice(directory.length + 1));
  assert.deepEqual(named("see @src/a.ts."), ["repo/src/a.ts"]);
  assert.deepEqual(named("see @.env, @a.ts and @~/mine"), ["repo/.env", "repo/src/a.ts", "mine"]);
  assert.deepEqual(named("@../.env"), ["repo/.env"]);
  assert.deepEqual(named("me@example.org, @general, @ and @./"), ["repo/src", "repo"]);
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
