import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import {
  askPermission,
  askQuestions,
  type PermissionRequest,
  parseAnswer,
  parsePermission,
  permissionText,
  type QuestionRequest,
} from "../../../src/cli/run/ask-dialog.ts";
import { personAt } from "../../../src/cli/run/lines.ts";
import type { AskAnswer } from "../../../src/client/index.ts";
import type { Question } from "../../../src/core/events/values.ts";

const plain = (_: unknown, text: string): string => text;

const permission: PermissionRequest = {
  ask: "per_1",
  action: "bash",
  patterns: ["rm -rf build"],
  input: { command: "rm -rf build" },
  options: [
    { id: "1", kind: "once" },
    { id: "2", kind: "always" },
    { id: "3", kind: "reject" },
  ],
};

/** A person who types the next line whenever the terminal waits for one; at the end of the lines comes the end of input. */
function typist(lines: readonly string[]) {
  const input = new PassThrough();
  const left = [...lines];
  let shown = "";
  const output = {
    write(text: string): void {
      shown += text;
      if (!text.endsWith("> ")) return;
      const line = left.shift();
      setImmediate(() => (line === undefined ? input.end() : input.write(`${line}\n`)));
    },
  };
  return { person: personAt(input, output), shown: () => shown };
}

type Asked<R> = (request: R, ...rest: Tail<Parameters<typeof askPermission>>) => Promise<AskAnswer | undefined>;
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

async function answerOf<R>(lines: readonly string[], ask: Asked<R>, request: R) {
  const { person, shown } = typist(lines);
  const answer = await ask(request, person, plain, new AbortController().signal);
  return { answer, shown: shown() };
}

const permissionLines: [lines: string[], answer: AskAnswer | undefined][] = [
  [["o"], { outcome: "once" }],
  [["once"], { outcome: "once" }],
  [["A"], { outcome: "always" }],
  [["r"], { outcome: "reject" }],
  [["r not on my machine"], { outcome: "reject", feedback: "not on my machine" }],
  [["", "what?", "o"], { outcome: "once" }],
  [["y"], { outcome: "once" }],
  [["No", "r"], { outcome: "reject" }],
  [["n too late"], { outcome: "reject", feedback: "too late" }],
  [["constructor", "o"], { outcome: "once" }],
  [["once more", "r"], { outcome: "reject" }],
  [[], undefined],
  [["nonsense"], undefined],
];

for (const [lines, answer] of permissionLines) {
  test(`a permission answered with ${JSON.stringify(lines)}`, async () => {
    assert.deepEqual((await answerOf(lines, askPermission, permission)).answer, answer);
  });
}

test("a permission shows the whole action before the answer, and nothing in it can fake the terminal", async () => {
  const { shown } = await answerOf(["o"], askPermission, {
    ...permission,
    title: "clean\u001b[1A up",
    patterns: ["rm\rls"],
  });
  assert.match(shown, /asks to use bash: clean\\u001b\[1A up\n {4}rm\\u000dls\n[\s\S]*"command": "rm -rf build"/);
  assert.match(shown, /\[o\]nce {2}\[a\]lways {2}\[r\]eject > $/);
});

test("a diff is shown instead of the input", () => {
  const text = permissionText({ ...permission, metadata: { diff: "--- a\n+++ b\n+new" } }, plain);
  assert.match(text, / {4}\+new\n {2}always/);
  assert.doesNotMatch(text, /command/);
});

const LONG = `--- a/f\n+++ b/f\n@@ -1,40 +1,40 @@\n${Array.from({ length: 40 }, (_, at) => `-old ${at}\n+new ${at}\n`).join("")}`;

test("a diff is coloured: added lines green, deleted lines red, the heads of hunks cyan, names dim", () => {
  const diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n same\n--- x\n+++ y\n\\ No newline at end of file\n";
  const text = permissionText(
    { ...permission, options: [], metadata: { diff } },
    (colour, line) => `<${colour}>${line}`,
  );
  const shown = text.split("\n").slice(2, 9);
  assert.deepEqual(shown, [
    "    <dim>--- a/f",
    "    <dim>+++ b/f",
    "    <cyan>@@ -1,2 +1,2 @@",
    "     same",
    "    <red>--- x",
    "    <green>+++ y",
    "    <dim>\\ No newline at end of file",
  ]);
});

test("a diff that is longer than the terminal is cut, so that the question stays in view; v shows all of it", async () => {
  const request = { ...permission, metadata: { diff: LONG } };
  const { person, shown } = typist(["v", "o"]);
  const size = { rows: 24, columns: 80 };
  const { signal } = new AbortController();
  const answer = await askPermission(request, { ...person, size: () => size }, plain, signal);
  assert.deepEqual(answer, { outcome: "once" });
  const prompt = "  [o]nce  [a]lways  [r]eject  [v]iew all > ";
  const [first = "", second = "", ...rest] = shown().split(prompt);
  assert.deepEqual(rest, [""]);
  assert.ok(first.startsWith("? The agent asks to use bash"));
  assert.equal(first.split("\n").length, size.rows - 1, "with the prompt and the line of the answer all rows are used");
  const [, left] = /… (\d+) more lines \(v shows them all\)\n {2}always/.exec(first) ?? [];
  assert.equal(first.match(/^ {4}[-+@]/gm)?.length, 83 - Number(left));
  assert.ok(second.includes("+new 39\n") && !second.includes("more lines"));
});

test("a long line counts as the rows it takes, and a diff that fits is whole", async () => {
  const long = `--- a/f\n+++ b/f\n@@ -1 +1,10 @@\n${`+${"x".repeat(300)}\n`.repeat(10)}`;
  const size = { rows: 24, columns: 80 };
  const text = permissionText({ ...permission, metadata: { diff: long } }, plain, size);
  assert.match(text, /… \d+ more lines/);
  const whole = permissionText({ ...permission, metadata: { diff: long } }, plain, { rows: 60, columns: 80 });
  assert.doesNotMatch(whole, /more lines/);
  const tiny = permissionText({ ...permission, metadata: { diff: LONG } }, plain, { rows: 3, columns: 80 });
  assert.match(tiny, /@@ -1,40/, "the beginning is shown in the smallest terminal, too");
});

const grants: [request: Partial<PermissionRequest>, granted: string][] = [
  [{ action: "edit", patterns: ["README.md"] }, "edit README.md"],
  [{ action: "webfetch", patterns: ["example.org"] }, "webfetch example.org"],
  [{ action: "mcp__files__remove", patterns: [] }, "every use of mcp__files__remove"],
];

for (const [request, granted] of grants) {
  test(`an always that would allow ${granted} says so`, () => {
    const text = permissionText({ ...permission, ...request }, plain);
    assert.ok(text.endsWith(`always would allow, in this session:\n    ${granted}\n`), text);
    const once = permissionText({ ...permission, ...request, options: [{ id: "1", kind: "once" }] }, plain);
    assert.doesNotMatch(once, /always/);
  });
}

test("only what the agent offers can be chosen", () => {
  assert.equal(parsePermission("a", ["once", "reject"]), undefined);
  assert.deepEqual(parsePermission("o", ["once", "reject"]), { outcome: "once" });
});

const colours: Question = { question: "Which?", options: [{ label: "red" }, { label: "green" }] };

const answers: [line: string, question: Partial<Question>, answer: string[] | undefined][] = [
  ["1", {}, ["red"]],
  ["green", {}, ["green"]],
  ["3", {}, undefined],
  ["0", {}, undefined],
  ["1,2", {}, undefined],
  ["blue", {}, undefined],
  ["", {}, undefined],
  ["blue", { custom: true }, ["blue"]],
  ["42", { custom: true }, ["42"]],
  ["1, 2", { multiple: true }, ["red", "green"]],
  ["2 2", { multiple: true }, ["green"]],
  ["1,9", { multiple: true }, undefined],
  ["any words", { options: [] }, ["any words"]],
];

for (const [line, more, answer] of answers) {
  test(`"${line}" to ${JSON.stringify(more)}`, () =>
    assert.deepEqual(parseAnswer(line, { ...colours, ...more }), answer));
}

test("several questions are asked one after the other", async () => {
  const request: QuestionRequest = { ask: "que_1", questions: [colours, { ...colours, multiple: true }] };
  const { answer, shown } = await answerOf(["blue", "2", "1,2"], askQuestions, request);
  assert.deepEqual(answer, { outcome: "answered", answers: [["green"], ["red", "green"]] });
  assert.match(shown, /1\) red\n {4}2\) green\n {2}a number > .*expected a number; Ctrl-D/s);
});

test("the end of input leaves a question unanswered", async () => {
  assert.equal((await answerOf(["1"], askQuestions, { ask: "q", questions: [colours, colours] })).answer, undefined);
});

test("a question that is off is dropped in the middle of the wait", async () => {
  const input = new PassThrough();
  const off = new AbortController();
  const waiting = askPermission(permission, personAt(input, { write: () => {} }), plain, off.signal);
  off.abort();
  assert.equal(await waiting, undefined);
  assert.equal(input.listenerCount("data"), 0);
});

test("a command is shown whole, with all that an always would allow", () => {
  const command = `git status &&\n${"npm test ".repeat(30)}`;
  const text = permissionText({ ...permission, command, patterns: ["git status *", "npm test *"] }, plain);
  assert.ok(text.includes("npm test ".repeat(30).trimEnd()));
  assert.match(text, /always would allow, in this session:\n {4}git status \*\n {4}npm test \*\n/);
  const same = permissionText({ ...permission, command: "rm *", patterns: ["rm %2A"] }, plain);
  assert.match(same, /always would allow, in this session:\n {4}exactly this command\n/);
  const once = permissionText({ ...permission, command, options: [{ id: "1", kind: "once" }] }, plain);
  assert.doesNotMatch(once, /always/);
});
