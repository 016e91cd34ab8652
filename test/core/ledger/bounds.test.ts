import assert from "node:assert/strict";
import { test } from "node:test";
import type { Draft } from "../../../src/core/events/event.ts";
import { idSource } from "../../../src/core/ids.ts";
import { MAX_TEXT } from "../../../src/core/ledger/bounds.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";

/** The events of a turn that gets these signals. */
function said(...signals: Signal[]): Draft[] {
  const id = idSource(() => 1);
  let state = newLedger("a", "/", {});
  const drafts: Draft[] = [];
  const prompt = { command: { type: "prompt" as const, prompt: { id: "msg_1", parts: [] } } };
  const inputs = [prompt, ...signals.map((signal) => ({ signal }))];
  for (const input of [...inputs, { signal: { type: "turn.finished", reason: "end_turn" } } as const]) {
    const stepped = step(state, input, { now: 1, id });
    state = stepped.state;
    drafts.push(...stepped.events);
  }
  return drafts;
}

/** The final texts of items of a kind, each of which is what its deltas give. */
function texts(drafts: readonly Draft[], kind: "message" | "tool_result"): string[] {
  const streamed = new Map<string, string>();
  const found: string[] = [];
  for (const { type, data } of drafts) {
    if (type === "item.delta" && data.field === "text")
      streamed.set(data.item, data.replace ?? (streamed.get(data.item) ?? "") + (data.delta ?? ""));
    if (
      type !== "item.completed" ||
      data.item.kind !== kind ||
      (kind === "message" && "role" in data.item && data.item.role === "user")
    )
      continue;
    const { id, text = "" } = data.item as { id: string; text?: string };
    assert.ok(text === (streamed.get(id) ?? ""), "the final text is its deltas put together");
    found.push(text);
  }
  return found;
}

const half = "x".repeat(MAX_TEXT / 2);
const text = (delta: string): Signal => ({ type: "text", item: "m", kind: "message", role: "assistant", delta });
const tool: Signal = { type: "tool.running", call: "c", name: "bash" };
const output = (delta: string): Signal => ({ type: "tool.output", call: "c", delta });

test("a message that grows beyond the limit ends with how much is missing", () => {
  const [whole] = texts(said(text(half), text(half), text("more"), text("and more")), "message");
  assert.equal(whole, `${half}${half}\n(… 12 characters left out …)`);
});

test("a whole text after cut deltas changes nothing but its end", () => {
  const done: Signal = { type: "text.done", item: "m", text: `${half}${half}more` };
  const drafts = said(text(half), text(`${half}mo`), text("re"), done);
  assert.deepEqual(texts(drafts, "message"), [`${half}${half}\n(… 4 characters left out …)`]);
  assert.ok(drafts.every(({ type, data }) => type !== "item.delta" || data.replace === undefined));
});

test("a tool's output is bounded, streamed, whole or cut short by the turn's end", () => {
  const done: Signal = { type: "tool.done", call: "c", ok: true };
  const cut = (left: number): string => `${half}${half}\n(… ${left} characters left out …)`;
  assert.deepEqual(texts(said(tool, output(half), output(`${half}123`), done), "tool_result"), [cut(3)]);
  assert.deepEqual(texts(said(tool, { ...done, output: `${half}${half}12` }), "tool_result"), [cut(2)]);
  assert.deepEqual(texts(said(output(half), output(`${half}1`), tool, done), "tool_result"), [cut(1)]);
});
