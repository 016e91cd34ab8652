import fc from "fast-check";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type { World } from "./world.ts";

/** A turn as a well-behaved agent would tell it: one lane of signals for each item, each in its own order. */
export interface Canonical {
  lanes: Signal[][];
  tools: number;
  /** Texts that must be readable at the end. */
  said: string[];
}

const word = fc.constantFrom("one ", "two ", "drei ", "四 ", "\n");

function textLane(index: number, words: string[], known: boolean): Signal[] {
  const item = `m${index}`;
  const deltas = words.map(
    (delta): Signal => (known ? { type: "text", item, kind: "message", delta } : { type: "text", item, delta }),
  );
  const name: Signal[] = known ? [] : [{ type: "text.known", item, kind: "message", role: "assistant" }];
  const done: Signal = known
    ? { type: "text.done", item, kind: "message", text: words.join("") }
    : { type: "text.done", item };
  return [...deltas, ...name, done];
}

function toolLanes(index: number, words: string[], ok: boolean): Signal[][] {
  const call = `c${index}`;
  const output = words.join("");
  // The call and its results are lanes of their own: a result may come before its call.
  return [
    [
      { type: "tool.seen", call, name: "bash", input: { n: index } },
      { type: "tool.running", call, name: "bash", input: { n: index } },
    ],
    [
      { type: "tool.output", call, delta: words[0] ?? "x" },
      { type: "tool.done", call, ok, output: output === "" ? "x" : output },
    ],
  ];
}

export const canonicalTurn: fc.Arbitrary<Canonical> = fc
  .record({
    texts: fc.array(fc.record({ words: fc.array(word, { minLength: 1, maxLength: 4 }), known: fc.boolean() }), {
      maxLength: 3,
    }),
    tools: fc.array(fc.record({ words: fc.array(word, { maxLength: 3 }), ok: fc.boolean() }), { maxLength: 3 }),
  })
  .map(({ texts, tools }) => ({
    lanes: [
      ...texts.map(({ words, known }, index) => textLane(index, words, known)),
      ...tools.flatMap(({ words, ok }, index) => toolLanes(index, words, ok)),
    ],
    tools: tools.length,
    said: texts.map(({ words }) => words.join("")),
  }));

/** Merges lanes in an order that the picks decide. */
export function interleave(lanes: readonly Signal[][], picks: fc.Stream<number>): Signal[] {
  const rest = lanes.map((lane) => [...lane]).filter((lane) => lane.length > 0);
  const merged: Signal[] = [];
  while (rest.length > 0) {
    const index = (picks.next().value ?? 0) % rest.length;
    const lane = rest[index];
    const next = lane?.shift();
    if (next) merged.push(next);
    if (lane?.length === 0) rest.splice(index, 1);
  }
  return merged;
}

/** The view of a reader at the end, which is the same for every order of signals. */
export function transcript(world: World): string {
  const lines = world.of("item.completed").map(({ data: { item } }) => {
    if (item.kind === "tool_call") return `call ${item.call} ${item.name} ${item.status} ${JSON.stringify(item.input)}`;
    if (item.kind === "tool_result") return `result ${item.call} ${item.status} ${JSON.stringify(item.text)}`;
    if (item.kind === "message") return `${item.role} ${item.status} ${JSON.stringify(item.text)}`;
    return `${item.kind} ${item.status}`;
  });
  return [...lines.sort(), ...world.of("turn.ended").map((event) => event.data.reason)].join("; ");
}
