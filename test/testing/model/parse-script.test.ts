import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_SCRIPT } from "../../../src/testing/model/default-script.ts";
import { parseScript, ScriptError } from "../../../src/testing/model/parse-script.ts";

test("a script with everything is read as it is written", () => {
  const script = parseScript(`
pace: 5
title: T
models: [m1, m2]
prompts:
  "*":
    - text: hi
  all:
    - wait: 10
      pace: 1
      reasoning: hm
      text: [one, { text: two, delay: 3, hold: gate }]
      tools:
        - { name: read, input: { path: a }, id: c1, hold: tool }
        - { name: patch, input: "free text" }
      finish: { hold: end }
      stop: length
      usage: { input: 10, cacheRead: 4, cacheWrite: 1, output: 5, reasoning: 2 }
      fail: [{ status: 429, retryAfter: 1, times: 2 }, { cut: tool }, { error: overloaded_error, at: text }, { hang: start }]
    - parts: [{ tool: { name: a } }, { text: b }, { reasoning: c }]
    - fail: { status: 400, message: no }
`);
  assert.deepEqual(Object.keys(script.prompts), ["*", "all"]);
  assert.deepEqual(script.prompts.all?.[0]?.text, ["one", { text: "two", delay: 3, hold: "gate" }]);
  assert.equal(script.prompts.all?.length, 3);
});

test("the built-in script is one", () => {
  assert.ok(parseScript(DEFAULT_SCRIPT).prompts["*"]);
});

const step = (text: string) => `prompts:\n  a:\n    - ${text}\n`;

const ROWS: readonly [string, string, string][] = [
  [
    "YAML that is none",
    "prompts:\n  a: [",
    "s.yaml:2:7: Flow sequence in block collection must be sufficiently indented and end with a ]",
  ],
  ["an empty file", "", "s.yaml:1:1: expected object, received null"],
  ["an unknown setting", "promts: {}\nprompts: {}", 's.yaml:1:1: Unrecognized key: "promts"'],
  ["an unknown key", step("txt: x"), 's.yaml:3:7: prompts.a[0]: Unrecognized key: "txt"'],
  ["a wrong stop", step("{ text: x, stop: done }"), 's.yaml:3:24: prompts.a[0].stop: expected one of "end"|"tools"|'],
  [
    "a wrong key of a chunk",
    step("text: [x, { text: y, dealy: 1 }]"),
    's.yaml:3:17: prompts.a[0].text[1]: Unrecognized key: "dealy"',
  ],
  ["a tool without a name", step("tools: [{ input: {} }]"), "s.yaml:3:15: prompts.a[0].tools[0].name: expected string"],
  ["nothing to say", step("pace: 3"), "s.yaml:3:7: prompts.a[0]: expected something to say"],
  [
    "trouble that ends, and then nothing",
    step("fail: { status: 429, times: 2 }"),
    "s.yaml:3:7: prompts.a[0]: expected something to say",
  ],
  [
    "two troubles in one",
    step("fail: { status: 400, cut: start }"),
    "s.yaml:3:13: prompts.a[0].fail: expected exactly one of status, cut, hang, error",
  ],
  [
    "a detail of another trouble",
    step("{ text: x, fail: { cut: text, retryAfter: 1 } }"),
    "s.yaml:3:49: prompts.a[0].fail.retryAfter: belongs to status, not to cut",
  ],
  [
    "a place that the step has not",
    step("{ text: x, fail: { cut: tool } }"),
    "s.yaml:3:24: prompts.a[0].fail: expected a tool to fail in, the step has none",
  ],
  [
    "parts beside text",
    step("{ text: x, parts: [{ text: y }] }"),
    "s.yaml:3:25: prompts.a[0].parts: expected parts alone",
  ],
  [
    "a part of two kinds",
    step("parts: [{ text: x, reasoning: y }]"),
    "s.yaml:3:15: prompts.a[0].parts[0]: expected exactly one of",
  ],
  ["a status that is none", step("fail: { status: 200 }"), "s.yaml:3:23: prompts.a[0].fail.status: "],
  ["the default without its quotes", "prompts:\n  *: x", '("*" needs its quotes in YAML)'],
];

for (const [name, source, expected] of ROWS) {
  test(`tells where: ${name}`, () => {
    assert.throws(
      () => parseScript(source, "s.yaml"),
      (error) => {
        assert.ok(error instanceof ScriptError);
        assert.ok(error.message.includes(expected), `${error.message}\nshould hold\n${expected}`);
        return true;
      },
    );
  });
}

test("tells all problems at once, a line each", () => {
  const source = "prompts:\n  a:\n    - stop: x\n  b:\n    - text: 1\n";
  assert.throws(() => parseScript(source, "f"), { message: /^f:3:13: .*\nf:5:13: .*$/ });
});
