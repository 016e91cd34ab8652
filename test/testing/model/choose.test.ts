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
    { name: "read", form: undefined, namespace: undefined },
    { name: "ask", form: undefined, namespace: "mcp__lab" },
    { name: "web_search", form: "web_search", namespace: undefined },
    { name: "exec", form: "custom", namespace: undefined },
  ]);
});

test("responses: a search for tools is a call, and the tools that it found can be called", () => {
  const wire = WIRES[1];
  assert.ok(wire);
  const found = [{ type: "namespace", name: "mcp__lab", tools: [{ type: "function", name: "ask" }] }];
  const input = [
    { role: "user", content: "[[a]]" },
    { type: "tool_search_call", call_id: "c1", arguments: { query: "ask" } },
    { type: "tool_search_output", call_id: "c1", tools: found },
  ];
  const conversation = wire.read({ input, tools: [{ type: "tool_search" }] });
  assert.equal(conversation.refusal, undefined);
  assert.deepEqual(conversation.tools, [
    { name: "tool_search", form: "tool_search", namespace: undefined },
    { name: "ask", form: undefined, namespace: "mcp__lab" },
  ]);
  assert.deepEqual(conversation.entries.at(-1), { role: "tool", call: "c1", text: "mcp__lab.ask" });
  const chosen = choose(script, conversation);
  assert.ok("step" in chosen);
  assert.equal(chosen.index, 1);
  assert.match(wire.read({ input: input.slice(0, 2) }).refusal ?? "", /without a result.*c1/);
});

test("responses: a search of the service's own is part of a reply, and wants no result", () => {
  const wire = WIRES[1];
  assert.ok(wire);
  const search = { type: "web_search_call", id: "ws_1", status: "completed" };
  const conversation = wire.read({ input: [{ role: "user", content: "[[a]]" }, search, search] });
  assert.equal(conversation.refusal, undefined);
  const chosen = choose(script, conversation);
  assert.ok("step" in chosen);
  assert.equal(chosen.index, 1);
});

test("responses: a task from another agent is a prompt, and its end is none", () => {
  const wire = WIRES[1];
  assert.ok(wire);
  const head = (type: string) => `Message Type: ${type}\nTask name: /root/x\nSender: /root\nPayload:\n`;
  const told = (type: string, words: object) => ({
    type: "agent_message",
    content: [{ type: "input_text", text: head(type) }, words],
  });
  const spawned = [
    { role: "user", content: "[[a]]" },
    { type: "function_call", call_id: "c1", name: "spawn_agent", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "aborted" },
  ];
  const task = told("NEW_TASK", { type: "encrypted_content", encrypted_content: "[[b-1.x]] look" });
  const end = told("FINAL_ANSWER", { type: "input_text", text: "[[b-1.x]] is done" });
  const chosen = [task, end].map((message) => choose(script, wire.read({ input: [...spawned, message] })));
  assert.deepEqual(
    chosen.map((one) => "step" in one && [one.marker, one.index]),
    [
      ["b-1.x", 0],
      ["a", 1],
    ],
  );
  assert.deepEqual(wire.read({ input: [task] }).entries, [{ role: "user", text: "[[b-1.x]] look" }]);
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
