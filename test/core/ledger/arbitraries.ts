import fc from "fast-check";
import type { PlanEntry, Question } from "../../../src/core/events/values.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type { Command } from "../../../src/core/ledger/state.ts";

export type Action = { do: "signal"; signal: Signal } | { do: "command"; command: Command } | { do: "timers" };

const key = fc.integer({ min: 0, max: 3 }).map((n) => `k${n}`);
const call = fc.integer({ min: 0, max: 3 }).map((n) => `call${n}`);
const words = fc.constantFrom("a", "bc", "", "déf", "\u2028", "long ".repeat(20));
const kind = fc.constantFrom<"message" | "reasoning" | undefined>("message", "reasoning", undefined);
const reason = fc.constantFrom(
  "end_turn" as const,
  "max_tokens" as const,
  "max_turns" as const,
  "refusal" as const,
  "error" as const,
);
const failure = fc.constantFrom({ code: "boom", message: "it broke" }, { code: "api", message: "401" });

function maybe<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

const anySignal: fc.Arbitrary<Signal> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("text" as const), item: key, kind, delta: words }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("text.done" as const), item: key, kind, text: maybe(words) }) },
  fc.record({ type: fc.constant("text.replaced" as const), item: key, text: words }),
  fc.record({ type: fc.constant("text.retracted" as const), item: key }),
  fc.record({ type: fc.constant("text.known" as const), item: key, kind: fc.constant("message" as const) }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom("tool.seen" as const, "tool.running" as const),
      call,
      name: maybe(fc.constant("bash")),
      input: maybe(fc.constant({ a: 1 })),
      inputDelta: maybe(words),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("tool.output" as const), call, delta: words }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("tool.done" as const), call, ok: fc.boolean(), output: maybe(words) }),
  },
  fc.record({ type: fc.constant("tool.backgrounded" as const), call }),
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("permission" as const),
      ask: key,
      action: fc.constantFrom("edit", "bash"),
      patterns: fc.constantFrom<string[]>([], ["*"], ["x"]),
      call: maybe(call),
    }),
  },
  fc.record({
    type: fc.constant("question" as const),
    ask: key.map((k) => `q${k}`),
    questions: fc.constant<Question[]>([{ question: "?", options: [] }]),
  }),
  fc.record({ type: fc.constant("ask.withdrawn" as const), ask: key }),
  fc.record({
    type: fc.constant("status" as const),
    status: fc.constantFrom("running" as const, "compacting" as const),
  }),
  fc.record({
    type: fc.constant("status" as const),
    status: fc.constant("retrying" as const),
    attempt: fc.nat(3),
    message: words,
    next: fc.nat(),
  }),
  fc.record({ type: fc.constant("step.begun" as const), step: maybe(key), summary: maybe(fc.boolean()) }),
  fc.record({
    type: fc.constant("step.finished" as const),
    step: maybe(key),
    finish: maybe(fc.constant("tool-calls")),
  }),
  fc.record({ type: fc.constant("error" as const), error: failure }),
  fc.record({ type: fc.constant("note" as const), level: fc.constant("info" as const), text: words }),
  fc.record({ type: fc.constant("plan" as const), entries: fc.constant<PlanEntry[]>([]) }),
  fc.record({ type: fc.constant("turn.begun" as const) }),
  fc.constantFrom<Signal[]>(
    { type: "replay.begun" },
    { type: "replay.prompt", parts: [{ type: "text", text: "before" }] },
    { type: "replay.ended" },
  ),
  { weight: 3, arbitrary: fc.record({ type: fc.constant("turn.finished" as const), reason, error: maybe(failure) }) },
  fc.record({
    type: fc.constant("exited" as const),
    code: fc.constantFrom(0, 1, null),
    signal: fc.constant(null),
    stderr: fc.constant<string[]>([]),
  }),
);

/** Anything that may happen to a session. Answers and withdrawals aim at asks and prompts that are open when they run. */
export const anyAction: fc.Arbitrary<
  Action | { do: "prompt" | "context" | "shell" | "compact" | "revert" | "answer" | "withdraw" | "steer" }
> = fc.oneof(
  { weight: 20, arbitrary: anySignal.map((signal) => ({ do: "signal" as const, signal })) },
  { weight: 5, arbitrary: fc.constant({ do: "prompt" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "context" as const }) },
  fc.constant({ do: "shell" as const }),
  fc.constant({ do: "compact" as const }),
  { weight: 2, arbitrary: fc.constant({ do: "revert" as const }) },
  fc.constant({ do: "steer" as const }),
  { weight: 2, arbitrary: fc.constant({ do: "answer" as const }) },
  fc.constant({ do: "withdraw" as const }),
  { weight: 2, arbitrary: fc.constant({ do: "timers" as const }) },
  fc
    .constantFrom("clear" as const, "keep" as const)
    .map((queue) => ({ do: "command" as const, command: { type: "cancel" as const, queue } })),
  fc.constant({
    do: "command" as const,
    command: { type: "fail" as const, turn: "any", error: { code: "spawn_failed", message: "no such program" } },
  }),
  fc.constant({ do: "command" as const, command: { type: "update" as const, facts: { title: "t" } } }),
);
