import assert from "node:assert/strict";
import { test } from "node:test";
import { type Decoded, decodeLine } from "../../../src/agents/line-protocol/decode.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { measures } from "../../support/time.ts";

const SIGNALS: Signal[] = [
  { type: "session", nativeId: "n", title: "t", model: "m", mode: "plan", resume: "resumed" },
  { type: "turn.begun" },
  { type: "turn.finished", reason: "end_turn", usage: { tokens: { input: 1, output: 2 }, cost: 0.5 } },
  { type: "turn.finished", reason: "error", error: { code: "c", message: "m" } },
  { type: "step.begun", step: "s" },
  { type: "step.finished", step: "s", finish: "stop" },
  { type: "text", item: "i", kind: "reasoning", role: "assistant", delta: "\u2028 d" },
  { type: "text", item: "i", delta: "" },
  { type: "text.done", item: "i", text: "whole" },
  { type: "text.replaced", item: "i", text: "other" },
  { type: "text.retracted", item: "i" },
  { type: "text.known", item: "i", kind: "message", role: "user" },
  { type: "tool.seen", call: "c", name: "bash", inputDelta: "{" },
  { type: "tool.running", call: "c", input: { deep: [1, { a: null }] }, metadata: { x: 1 } },
  { type: "tool.output", call: "c", delta: "out" },
  { type: "tool.done", call: "c", ok: true, output: "out", files: [{ path: "a", kind: "modified" }] },
  { type: "tool.backgrounded", call: "c" },
  { type: "permission", ask: "a", action: "edit", patterns: ["x"], options: [{ id: "o", kind: "once" }] },
  { type: "question", ask: "a", questions: [{ question: "q", options: [{ label: "l" }] }] },
  { type: "ask.withdrawn", ask: "a" },
  { type: "status", status: "compacting" },
  { type: "status", status: "retrying", attempt: 1, message: "m", next: 5 },
  { type: "plan", entries: [{ text: "t", status: "pending" }] },
  { type: "usage", usage: { context: { used: 1, size: 2 } } },
  { type: "note", level: "warn", text: "t" },
  { type: "error", error: { code: "c", message: "m", retryable: true } },
];

for (const signal of SIGNALS) {
  test(`reads ${JSON.stringify(signal)}`, () => {
    assert.deepEqual(decodeLine(JSON.stringify(signal)), { what: "signal", signal });
    const child = { id: "k", title: "t", agent: "a" };
    assert.deepEqual(decodeLine(JSON.stringify({ child, signal })), { what: "signal", signal, child });
  });
}

const OTHERS: [line: string, decoded: Decoded][] = [
  ['{"type":"ready"}', { what: "ready" }],
  ['{"type":"resume_lost"}', { what: "resume_lost" }],
  ["", { what: "blank" }],
  ["  \t", { what: "blank" }],
  ["hello", { what: "noise", reason: "not_json" }],
  ['{"type":"text","item":"i","del', { what: "noise", reason: "not_json" }],
  ["\u0000", { what: "noise", reason: "not_json" }],
  ["\u001b[31mred", { what: "noise", reason: "not_json" }],
  ["[]", { what: "noise", reason: "not_an_object" }],
  ["42", { what: "noise", reason: "not_an_object" }],
  ["null", { what: "noise", reason: "not_an_object" }],
  ['"text"', { what: "noise", reason: "not_an_object" }],
  ["{}", { what: "noise", reason: "unknown_type" }],
  ['{"type":"unheard.of"}', { what: "noise", reason: "unknown_type" }],
  ['{"type":"constructor"}', { what: "noise", reason: "unknown_type" }],
  ['{"type":"__proto__"}', { what: "noise", reason: "unknown_type" }],
  ['{"type":7}', { what: "noise", reason: "unknown_type" }],
  ['{"type":"text","item":7,"delta":"x"}', { what: "noise", reason: "bad_signal" }],
  ['{"type":"text","item":"i"}', { what: "noise", reason: "bad_signal" }],
  ['{"type":"turn.finished","reason":"bored"}', { what: "noise", reason: "bad_signal" }],
  ['{"type":"status","status":"retrying"}', { what: "noise", reason: "bad_signal" }],
  ['{"type":"exited","code":0,"signal":null,"stderr":[]}', { what: "noise", reason: "unknown_type" }],
  ['{"type":"unparsed","reason":"r","count":1}', { what: "noise", reason: "unknown_type" }],
  ['{"child":{"id":"k"},"signal":{"type":"ready"}}', { what: "noise", reason: "unknown_type" }],
  ['{"child":{"id":7},"signal":{"type":"turn.begun"}}', { what: "noise", reason: "bad_child" }],
  ['{"child":{"id":"k","call":7},"signal":{"type":"turn.begun"}}', { what: "noise", reason: "bad_child" }],
  ['{"child":"k","signal":{"type":"turn.begun"}}', { what: "noise", reason: "bad_child" }],
  ['{"child":{"id":"k"}}', { what: "noise", reason: "not_an_object" }],
];

for (const [line, decoded] of OTHERS) {
  test(`reads ${JSON.stringify(line)} as ${decoded.what}`, () => assert.deepEqual(decodeLine(line), decoded));
}

test("reads far more than 20,000 lines a second", measures, () => {
  const lines = SIGNALS.map((signal) => JSON.stringify(signal));
  const spend = (): number => {
    const begun = performance.now();
    for (let i = 0; i < 20_000; i++) decodeLine(lines[i % lines.length] ?? "");
    return performance.now() - begun;
  };
  const best = Math.min(spend(), spend(), spend());
  assert.ok(best < 500, `20,000 lines took ${best.toFixed(0)} ms`);
});
