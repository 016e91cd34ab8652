import type { LanguageModelUsage } from "ai";
import type { Usage } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import { GRACE_MS } from "../../../core/ledger/state.ts";
import { streamModel } from "../model/model-call.ts";
import { usageOf } from "../model/usage.ts";
import { resultPart, stepMessages } from "../past/conversation.ts";
import { Deferreds, type Outcome } from "./deferreds.ts";
import { type ModelCall, StepStream } from "./stream.ts";
import { ToolRunner } from "./tool-runner.ts";
import type { Turn } from "./turn.ts";

export type StepEnd =
  | { how: "done"; finish: string; full: boolean; calls: number }
  | { how: "stopped" }
  /** `committed`: tools have run, so that the conversation goes on from there instead of beginning the step anew. */
  | { how: "failed"; error: unknown; committed: boolean };

interface Run {
  turn: Turn;
  summary: boolean;
  stream: StepStream;
  deferreds: Deferreds;
  calls: ModelCall[];
}

function begin(turn: Turn, summary: boolean): Run {
  const { emit, keys } = turn;
  const runner = new ToolRunner(turn);
  const deferreds = new Deferreds((call, outcome) => emit(doneSignal(call, outcome)));
  const calls: ModelCall[] = [];
  const stream = new StepStream({
    emit,
    item: () => keys.item(),
    call: (id) => keys.call(id),
    seen: (call) => deferreds.see(call),
    called(call) {
      calls.push(call);
      deferreds.run(call.call, (signal) => runner.run(call, signal));
    },
  });
  return { turn, summary, stream, deferreds, calls };
}

function doneSignal(call: string, { ok, output, error, files, metadata }: Outcome) {
  const told = ok || output !== error?.message ? output : undefined;
  return present({ type: "tool.done", call, ok, output: told, error, files, metadata });
}

/** Reads the model's stream to its end while tools run, then waits for all of them. */
async function read({ turn, stream, deferreds }: Run): Promise<void> {
  for await (const part of streamModel(turn.sdk, turn.request())) {
    stream.take(part);
    await turn.free();
  }
  stream.close();
  deferreds.giveUpUnstarted("the model did not complete this call");
  await turn.orStopped(deferreds.all());
}

function remember({ turn, stream, deferreds, calls }: Run): void {
  const results = calls.map(({ call, name }) =>
    resultPart(call, name, deferreds.outcome(call) ?? { ok: false, output: "aborted" }),
  );
  turn.messages.push(...stepMessages(stream.content, results));
}

/** After a summary the context holds no more than that. */
function usageAfter(used: LanguageModelUsage, model: Turn["model"], summary: boolean): Usage {
  const usage = usageOf(used, model);
  return summary ? { ...usage, context: { ...usage.context, used: usage.tokens?.output ?? 0 } } : usage;
}

function finishStep({ turn, stream, summary }: Run, finish: string): void {
  const usage = stream.usage && usageAfter(stream.usage, turn.model, summary);
  if (usage?.context) turn.context.used = usage.context.used;
  turn.emit(present({ type: "step.finished", finish, usage }));
}

/** One model round trip and the tools it called. However it goes, every call is settled when this resolves. */
export async function runStep(turn: Turn, summary = false): Promise<StepEnd> {
  const run = begin(turn, summary);
  const { stream, deferreds, calls } = run;
  let failure: { error: unknown } | undefined;
  try {
    await read(run);
  } catch (error) {
    failure = { error };
    // As its text: the model is asked for the whole answer again.
    if (!turn.stopped)
      deferreds.giveUpUnstarted("the model's answer was cut off before the call was whole", "retracted");
  } finally {
    await deferreds.drain(GRACE_MS, "aborted: the model's answer was stopped before the tool was done");
  }
  if (turn.stopped) {
    remember(run);
    return { how: "stopped" };
  }
  if (failure) {
    stream.retract();
    if (stream.committed) {
      remember(run);
      finishStep(run, "interrupted");
    }
    return { how: "failed", error: failure.error, committed: stream.committed };
  }
  remember(run);
  const finish = stream.finish ?? "stop";
  finishStep(run, finish);
  return { how: "done", finish, full: stream.full, calls: calls.length };
}
