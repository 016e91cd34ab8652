import fc from "fast-check";
import type { FileChange, Task } from "../../../../src/core/events/values.ts";
import { idSource } from "../../../../src/core/ids.ts";
import { restore } from "../../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../../src/core/ledger/state.ts";
import { step } from "../../../../src/core/ledger/step.ts";
import { anyAction } from "../../../core/ledger/arbitraries.ts";
import { type AnyAction, perform } from "../../../core/ledger/suite.ts";
import { World } from "../../../core/ledger/world.ts";

const START = 1_794_778_476_828;

/** A world whose ids are those of a server, so that they sort. */
export function world(): World {
  const made: World = new World({ step, newLedger, restore }, { id: idSource(() => made.now) });
  made.now = START;
  return made;
}

const call = fc.integer({ min: 0, max: 3 }).map((n) => `call${n}`);
const item = fc.integer({ min: 0, max: 3 }).map((n) => `k${n}`);
const usage = { tokens: { input: 10, output: 5, reasoning: 2, cacheRead: 1 }, cost: 0.25 };
const file: FileChange = { path: "a.txt", kind: "modified", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n" };
const files: FileChange[][] = [[file], [file, { ...file, path: "b.txt", kind: "added" }], []];

/** Signals that the ledger's own arbitraries leave out and that the projection shows. */
const moreSignals: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({ type: fc.constant("tool.seen" as const), call, name: fc.constantFrom("Edit", "todo", "mystery") }),
  fc.record({ type: fc.constant("tool.seen" as const), call, child: fc.constant("ses_child") }),
  fc.record({
    type: fc.constant("tool.done" as const),
    call,
    ok: fc.boolean(),
    files: fc.constantFrom(...files),
  }),
  fc.record({
    type: fc.constant("permission" as const),
    ask: item,
    action: fc.constant("bash"),
    patterns: fc.constant<string[]>(["ls"]),
    call,
  }),
  fc.record({
    type: fc.constant("text" as const),
    item,
    role: fc.constantFrom("user" as const, "system" as const),
    delta: fc.constant("said"),
  }),
  fc.record({ type: fc.constant("session" as const), model: fc.constantFrom("m1", "m2") }),
  fc.record({ type: fc.constant("step.finished" as const), finish: fc.constant("stop"), usage: fc.constant(usage) }),
  fc.record({
    type: fc.constant("turn.finished" as const),
    reason: fc.constantFrom("end_turn" as const, "cancelled" as const),
    usage: fc.constant(usage),
  }),
  fc.record({ type: fc.constant("note" as const), level: fc.constant("warn" as const), text: fc.constant("mind") }),
);

const tasks: Task[] = [{ type: "shell", command: "ls" }, { type: "compact" }];
const text = { type: "text" as const, text: "by the user", synthetic: true };

const moreActions: fc.Arbitrary<AnyAction> = fc.oneof(
  { weight: 9, arbitrary: moreSignals.map((signal) => ({ do: "signal" as const, signal })) },
  fc.record({ id: fc.uuid(), task: fc.constantFrom(...tasks) }).map(({ id, task }) => ({
    do: "command" as const,
    command: { type: "prompt" as const, prompt: { id: `msg_${id}`, parts: [text], task } },
  })),
);

export interface Scenario {
  actions: readonly AnyAction[];
  crash: number;
  agentFirst: boolean;
}

export const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  actions: fc.array(fc.oneof({ weight: 3, arbitrary: anyAction }, moreActions), { minLength: 5, maxLength: 80 }),
  crash: fc.nat(),
  agentFirst: fc.boolean(),
});

/** Everything that happened, and what a crash on the way would have made of it. */
export function play({ actions, crash, agentFirst }: Scenario): World[] {
  const lived = agentFirst ? world() : world().prompt("p");
  actions.forEach((action, index) => {
    perform(lived, action, index);
  });
  lived.settle();
  return [lived, lived.crashAfter(crash % lived.boundaries.length).settle()];
}
