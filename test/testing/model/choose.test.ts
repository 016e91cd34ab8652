import assert from "node:assert/strict";
import { test } from "node:test";
import { choose } from "../../../src/testing/model/choose.ts";
import type { Script } from "../../../src/testing/model/script.ts";
import { type Said, WIRES } from "./requests.ts";

const script: Script = {
  prompts: {
    "*": [{ text: "default" }],
    a: [{ text: "a0" }, { text: "a1" }, { text: "a2" }],
    "b-1.x": [{ text: "b0" }],
  },
};

const turn = (user: string): Said[] => [{ user }];
const step = (call: string): Said[] => [
  { reply: "said", calls: [call] },
  { call, result: "done" },
];

const ROWS: readonly [string, readonly Said[], string, number][] = [
  ["no marker", turn("hello"), "*", 0],
  ["a marker at the beginning", turn("[[a]] hello"), "a", 0],
  ["a marker in the middle, with other signs", turn("hello [[b-1.x]] there"), "b-1.x", 0],
  ["an unknown marker", turn("[[nobody]] hello"), "*", 0],
  ["an unknown marker before a known one", turn("[[nobody]] [[a]]"), "a", 0],
  ["two prompts in one message", turn("[[a]] went wrong\n[[b-1.x]] then"), "b-1.x", 0],
  ["the name of something that every object has", turn("[[constructor]]"), "*", 0],
  ["after one reply with a tool", [...turn("[[a]]"), ...step("c1")], "a", 1],
  ["after two", [...turn("[[a]]"), ...step("c1"), ...step("c2")], "a", 2],
  [
    "two tools in one reply",
    [{ user: "[[a]]" }, { reply: "x", calls: ["c1", "c2"] }, ...["c1", "c2"].map((call) => ({ call, result: "r" }))],
    "a",
    1,
  ],
  [
    "the same prompt again in a resumed conversation",
    [...turn("[[a]]"), ...step("c1"), { reply: "end" }, ...turn("[[a]]")],
    "a",
    0,
  ],
  ["a later prompt without a marker", [...turn("[[a]]"), { reply: "end" }, ...turn("go on")], "*", 0],
  [
    "a reminder after the prompt is not a prompt",
    [...turn("[[a]]"), ...turn("<system-reminder>[[b-1.x]]</system-reminder>")],
    "a",
    0,
  ],
  ["a reminder within the prompt", turn("<system-reminder>[[b-1.x]]</system-reminder>\n[[a]] hi"), "a", 0],
  [
    "the environment after the prompt",
    [...turn("[[a]]"), ...turn("<environment_context>\n<cwd>/x</cwd>\n</environment_context>")],
    "a",
    0,
  ],
];

for (const { format, body, read } of WIRES) {
  for (const [name, said, marker, index] of ROWS) {
    test(`${format}: ${name}`, () => {
      const conversation = read(body(said));
      assert.equal(conversation.refusal, undefined);
      const chosen = choose(script, conversation);
      assert.ok("step" in chosen);
      assert.deepEqual([chosen.marker, chosen.index], [marker, index]);
      assert.equal(chosen.step, script.prompts[marker]?.[index]);
    });
  }

  test(`${format}: a client that asks on after the last step is told so`, () => {
    const said: Said[] = [...turn("[[b-1.x]]"), ...step("c1"), ...step("c2")];
    const chosen = choose(script, read(body(said)));
    assert.ok("step" in chosen);
    assert.match(String(chosen.step.text), /b-1\.x has 1 steps, and this would be number 3/);
  });

  test(`${format}: a script without a default says what it has`, () => {
    const chosen = choose({ prompts: { a: [{ text: "x" }] } }, read(body(turn("[[z]] hi"))));
    assert.deepEqual(chosen, { missing: "the script has nothing for [[z]]; it has a" });
  });

  const UNPAIRED: readonly [string, readonly Said[], RegExp][] = [
    [
      "a call without its result",
      [...turn("hi"), { reply: "x", calls: ["c1", "c2"] }, { call: "c1", result: "r" }],
      /without a result.*: c2$/,
    ],
    ["a result without its call", [...turn("hi"), { reply: "x" }, { call: "c9", result: "r" }], /c9 has no tool call/],
    ["a second result", [...turn("hi"), ...step("c1"), { call: "c1", result: "again" }], /c1 .*second/],
    ["no message at all", [], /at least one message/],
  ];
  for (const [name, said, message] of UNPAIRED) {
    test(`${format}: refuses ${name}, as the real service does`, () => {
      assert.match(read(body(said)).refusal ?? "", message);
    });
  }
}

test("anthropic: a note of the client beside a tool result is not a prompt, but a marker is", () => {
  const wire = WIRES[0];
  assert.ok(wire);
  const after = (text: string) => ({
    messages: [
      { role: "user", content: "[[a]]" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "t", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "r" },
          { type: "text", text },
        ],
      },
    ],
  });
  const chosen = [after("a note"), after("[[b-1.x]] steered")].map((body) => choose(script, wire.read(body)));
  assert.deepEqual(
    chosen.map((one) => "step" in one && [one.marker, one.index]),
    [
      ["a", 1],
      ["b-1.x", 0],
    ],
  );
});

test("a prompt between a call and its result is refused, but not in Responses", () => {
  const said: Said[] = [...turn("hi"), { reply: "x", calls: ["c1"] }, ...turn("steered"), { call: "c1", result: "r" }];
  const refused = WIRES.map(({ format, read, body }) => [format, read(body(said)).refusal !== undefined]);
  assert.deepEqual(refused, [
    ["anthropic", true],
    ["responses", false],
    ["chat", true],
  ]);
});

test("responses: tools are found wherever Codex puts them", () => {
  const wire = WIRES[1];
  assert.ok(wire);
  const nested = [{ type: "custom", name: "exec" }];
  const tools = [
    { type: "function", name: "read" },
    { type: "namespace", name: "mcp__lab", tools: [{ type: "function", name: "ask" }] },
    { type: "web_search" },
  ];
  const added = { type: "additional_tools", tools: [{ type: "namespace", name: "functions", tools: nested }] };
  assert.deepEqual(wire.read({ input: [added, { role: "user", content: "x" }], tools }).tools, [
    { name: "read", freeform: false, namespace: undefined },
    { name: "ask", freeform: false, namespace: "mcp__lab" },
    { name: "web_search", freeform: false, namespace: undefined },
    { name: "exec", freeform: true, namespace: undefined },
  ]);
});

test("responses: references stand for replies; a conversation kept elsewhere is refused", () => {
  const wire = WIRES[1];
  assert.ok(wire);
  const input = [
    { role: "user", content: "[[a]]" },
    { type: "item_reference", id: "fc_1" },
    { type: "function_call_output", call_id: "c1", output: "r" },
  ];
  const conversation = wire.read({ input });
  assert.equal(conversation.refusal, undefined);
  const chosen = choose(script, conversation);
  assert.ok("step" in chosen);
  assert.equal(chosen.index, 1);
  assert.match(wire.read({ input, previous_response_id: "resp_1" }).refusal ?? "", /whole conversation/);
});
