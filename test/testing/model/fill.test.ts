import assert from "node:assert/strict";
import { test } from "node:test";
import { fill } from "../../../src/testing/model/fill.ts";
import type { Said } from "./requests.ts";
import { WIRES } from "./requests.ts";

const said: Said[] = [
  { user: "<environment_context>\n  <cwd>/home/me</cwd>\n</environment_context>" },
  { user: "[[a]] Do it" },
  { reply: "x", calls: ["c1"] },
  { call: "c1", result: "first line\nsession ID 42\nlast line" },
];

const ROWS: readonly [string, string, unknown][] = [
  ["the prompt without its marker", "{{prompt}}!", "Do it!"],
  ["the model", "{{ model }}", "m"],
  ["the directory", "{{directory}}/README.md", "/home/me/README.md"],
  ["the last tool result", "{{last_tool_result}}", "first line\nsession ID 42\nlast line"],
  ["a part of it, by a group", "{{last_tool_result /session ID (\\d+)/}}", "42"],
  ["a part of it, as it matched", "{{last_tool_result /^last.*$/}}", "last line"],
  ["a pattern with a slash", "{{directory /\\/(\\w+)$/}}", "me"],
  ["what does not match", "<{{last_tool_result /nothing/}}>", "<>"],
  ["a number", "{{number last_tool_result /ID (\\d+)/}}", 42],
  ["what is no blank", "{{unknown}} {prompt} {{PROMPT}}", "{{unknown}} {prompt} {{PROMPT}}"],
];

for (const { format, read, body } of WIRES) {
  for (const [name, template, expected] of ROWS) {
    test(`${format}: fills in ${name}`, () => {
      const step = { tools: [{ name: "t", input: { deep: [{ value: template }] } }] };
      const filled = fill(step, read(body(said)));
      assert.deepEqual(filled.tools?.[0]?.input, { deep: [{ value: expected }] });
    });
  }
}

test("without a tool result or a directory there is nothing to fill in", () => {
  const [wire] = WIRES;
  assert.ok(wire);
  assert.equal(fill({ text: "<{{last_tool_result}}{{directory}}>" }, wire.read(wire.body([{ user: "x" }]))).text, "<>");
});
