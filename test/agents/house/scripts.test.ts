import assert from "node:assert/strict";
import { test } from "node:test";
import { ADDED, type Reply, replyTo, type Scene } from "../../../src/agents/house/model/demo-script.ts";
import { numbered } from "../../../src/agents/house/tools/read.ts";

const TOOLS = ["read", "write", "edit", "bash", "question"];
const PROMPT = "Read notes.md and add a line at the end";

const after = (text: string, ok = true, name = "read", more: Partial<Scene> = {}): Reply =>
  replyTo({ said: PROMPT, results: [{ name, ok, text }], tools: TOOLS, ...more });

test("first it reads", () => {
  assert.deepEqual(replyTo({ said: PROMPT, results: [], tools: TOOLS }).call, {
    name: "read",
    input: { path: "notes.md" },
  });
});

const ends: [content: string, old: string][] = [
  ["one\n", "one"],
  ["one\ntwo", "two"],
  ["a\nb\na\n", "b\na"],
  ["a\n\n", "a\n"],
];

for (const [content, old] of ends) {
  test(`the end of ${JSON.stringify(content)} is found`, () => {
    const { call } = after(numbered(content, 1, 2_000));
    assert.deepEqual(call, { name: "edit", input: { path: "notes.md", old, new: `${old}\n${ADDED}` } });
    assert.equal(content.split(old).length, 2, "it is there once");
  });
}

test("of a long file it reads the end, too", () => {
  const content = Array.from({ length: 3_000 }, (_, at) => `line ${at}`).join("\n");
  const { call } = after(numbered(content, 1, 2_000));
  assert.deepEqual(call, { name: "read", input: { path: "notes.md", offset: 2_950 } });
  const next = after(numbered(content, 2_950, 2_000));
  assert.equal(next.call?.input.old, "line 2999");
});

test("a file that is empty or not there is written", () => {
  for (const reply of [after("(the file is empty)"), after("notes.md does not exist", false)])
    assert.deepEqual(reply.call, { name: "write", input: { path: "notes.md", content: `${ADDED}\n` } });
});

test("a failure is said, and nothing more is called", () => {
  assert.match(
    after("the user refused this", false, "edit").text ?? "",
    /I left notes\.md as it was: the user refused/,
  );
  assert.match(after("notes.md is not a text file", false).text ?? "", /could not read/);
  assert.match(after("1: one", true, "read", { tools: ["read"] }).text ?? "", /In plan mode I change nothing/);
});

test("other words get an answer that says what it is", () => {
  const { text = "", call } = replyTo({ said: "hello", results: [], tools: TOOLS });
  assert.match(text, /scripted model.*ANTHROPIC_API_KEY.*You said: hello/s);
  assert.equal(call, undefined);
});
