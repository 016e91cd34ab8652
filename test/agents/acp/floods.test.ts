import assert from "node:assert/strict";
import { test } from "node:test";
import { Decoder } from "../../../src/agents/acp/decode/decoder.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { broken } from "./stage.ts";

function decoder(): Decoder {
  return new Decoder({ prefix: "p", directory: "/work", readFile: () => undefined, terminalText: () => undefined });
}

const END = [{ result: { stopReason: "end_turn" } }, { stopped: false, refused: false }] as const;
const call = (toolCallId: string, facts: object = {}) => ({ sessionUpdate: "tool_call", toolCallId, ...facts });
const chunk = (text: string, facts: object = {}) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...facts,
});

/** The most that were open at once. */
function mostOpen(signals: readonly Signal[], begins: readonly string[], end: string, key: "call" | "item"): number {
  const open = new Set<unknown>();
  let most = 0;
  for (const signal of signals) {
    const of = key in signal ? signal[key as keyof Signal] : undefined;
    if (begins.includes(signal.type)) open.add(of);
    if (signal.type === end) open.delete(of);
    most = Math.max(most, open.size);
  }
  return most;
}

test("a flood of calls without an end leaves few open, and breaks no law", () => {
  const told = decoder();
  const signals = told.begin();
  for (let at = 0; at < 2_000; at++) signals.push(...told.update(call(`c${at}`, { status: "pending", title: "t" })));
  signals.push(...told.update(call("c0", { sessionUpdate: "tool_call_update", status: "completed" })));
  signals.push(...told.end(...END));
  assert.ok(mostOpen(signals, ["tool.seen", "tool.running"], "tool.done", "call") <= 256);
  assert.equal(new Set(signals.flatMap((signal) => (signal.type === "tool.seen" ? signal.call : []))).size, 2_000);
  assert.deepEqual(broken(signals), []);
});

test("a flood of messages without an end leaves few open, and breaks no law", () => {
  const told = decoder();
  const signals = told.begin();
  for (let at = 0; at < 1_000; at++) signals.push(...told.update(chunk("x", { messageId: `m${at}` })));
  signals.push(...told.end(...END));
  assert.ok(mostOpen(signals, ["text"], "text.done", "item") <= 16);
  assert.deepEqual(broken(signals), []);
});

test("the words of a call that is over are not kept", () => {
  const told = decoder();
  told.begin();
  const large = "x".repeat(1_000);
  told.update(call("c", { title: "t", status: "completed", rawInput: { large }, rawOutput: large }));
  assert.deepEqual(told.call("c")?.told, { title: "t" });
});

test("calls outside of a turn are forgotten, the oldest first", () => {
  const told = decoder();
  for (let at = 0; at < 1_500; at++) told.update(call(`c${at}`, { status: "pending" }));
  assert.equal(told.call("c0"), undefined);
  assert.ok(told.call("c1499"));
});

test("words outside of a turn that never end are told piece by piece", () => {
  const told = decoder();
  const signals = Array.from({ length: 200 }, () => told.update(chunk("x".repeat(1_000)))).flat();
  assert.equal(signals.filter(({ type }) => type === "note").length, 3);
});
