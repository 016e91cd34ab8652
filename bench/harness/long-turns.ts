import type { Draft } from "../../src/core/events/event.ts";
import { idSource } from "../../src/core/ids.ts";
import { openLog } from "../../src/log/data-log.ts";
import type { LongTurns } from "../measurements/pages.ts";

const BATCH = 1_000;
const id = idSource(Date.now);
const OUTPUT = "A line of a file that an agent has read.\n".repeat(4);

function at(draft: Omit<Draft, "time" | "source">): Draft {
  return { ...draft, time: Date.now(), source: "agent" } as Draft;
}

/** One call, from its beginning to its end. */
function callOf(turn: string, step: number, number: number): Draft[] {
  const call = { id: id("item"), kind: "tool_call", call: `call_${turn}_${number}`, name: "read", step } as const;
  const result = { id: id("item"), kind: "tool_result", call: call.call, step } as const;
  const input = { path: `src/file-${number}.ts` };
  return [
    at({ type: "item.started", turn, data: { item: { ...call, status: "running", input } } }),
    at({ type: "item.started", turn, data: { item: { ...result, status: "running" } } }),
    at({ type: "item.completed", turn, data: { item: { ...result, status: "completed", text: OUTPUT } } }),
    at({ type: "item.completed", turn, data: { item: { ...call, status: "completed", input } } }),
  ];
}

function* turnOf({ calls, perStep }: LongTurns): Generator<Draft> {
  const turn = id("turn");
  const prompt = { id: id("message") };
  const asked = { ...prompt, kind: "message", role: "user" } as const;
  const usage = { tokens: { input: 1, output: 1 }, cost: 0.001 };
  yield at({ type: "turn.started", turn, data: { by: "user", prompt } });
  yield at({ type: "item.started", turn, data: { item: { ...asked, status: "running" } } });
  yield at({ type: "item.completed", turn, data: { item: { ...asked, status: "completed", text: "Read them all." } } });
  for (let [number, step] = [0, 1]; number < calls; step++) {
    const one = { step, id: id("message") };
    yield at({ type: "step.started", turn, data: one });
    for (const end = Math.min(calls, number + perStep); number < end; number++) yield* callOf(turn, step, number);
    yield at({ type: "step.ended", turn, data: { ...one, finish: "tool_use", usage } });
  }
  yield at({ type: "turn.ended", turn, data: { reason: "end_turn", usage } });
}

/** Adds a session of such turns to a data directory. */
export async function writeLongTurns(directory: string, shape: LongTurns): Promise<string> {
  const log = await openLog({ directory, sync: "process" });
  try {
    const session = id("session");
    const hold = await log.open({ id: session });
    let drafts = [at({ type: "session.started", data: { agent: "scripted", directory, version: 1 } })];
    let stored = 0;
    const store = async (): Promise<void> => {
      await hold.append(
        stored,
        drafts.map((draft) => ({ draft })),
      );
      stored += drafts.length;
      drafts = [];
    };
    for (let turn = 0; turn < shape.turns; turn++)
      for (const draft of turnOf(shape)) if (drafts.push(draft) >= BATCH) await store();
    await store();
    return session;
  } finally {
    await log.close();
  }
}
