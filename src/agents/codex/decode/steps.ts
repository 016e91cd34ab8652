import { type Fields, fieldsIn, numberIn, present } from "../../../core/json/fields.ts";
import type { Reading, Thread } from "./state.ts";
import { sameTally, tallyBefore, tallyOf, tokensBetween } from "./usage.ts";

const stepKey = (turn: string, number: number): string => `${turn.slice(-12)}:step${number}`;

/** An item of the model's: it begins a reply, unless one is being told. Returns the thread as it is then. */
export function inStep(reading: Reading, thread: Thread, calls: boolean): Thread {
  const { turn } = thread;
  if (!turn) return thread;
  if (turn.open) return calls && !turn.calls ? reading.setTurn(thread, { calls }) : thread;
  const steps = turn.steps + 1;
  reading.say({ type: "step.begun", step: stepKey(turn.id, steps) }, thread);
  return reading.setTurn(thread, { steps, open: true, calls });
}

/**
 * The count of tokens comes when a reply of the model, and the calls in it, are over: only by it the program tells one reply from the next. A reply without
 * an item, such as a call of a tool that is not there, is a step, too. Counts are repeated after the reply.
 */
export function onTokens(reading: Reading, params: Fields, thread: Thread): void {
  const usage = fieldsIn(params, "tokenUsage");
  const last = fieldsIn(usage, "last");
  const tokens = tallyOf(fieldsIn(usage, "total"));
  const used = numberIn(last, "totalTokens");
  const size = numberIn(usage, "modelContextWindow");
  const context = used === undefined ? thread.context : { used, ...present({ size }) };
  const before = thread.counted ? thread.tokens : tallyBefore(tokens, tallyOf(last));
  const counted: Thread = { ...thread, ...present({ context }), tokens, counted: true };
  reading.setThread(counted);
  if (sameTally(tokens, before) || !thread.turn) return;
  if (!thread.counted) reading.setTurn(counted, { before });
  const { turn } = inStep(reading, reading.thread(thread.id), false);
  if (!turn) return;
  const step = stepKey(turn.id, turn.steps);
  const finish = turn.calls ? "tool_calls" : "stop";
  const told = present({ tokens: tokensBetween(before, tokens), context });
  reading.say({ type: "step.finished", step, finish, usage: told }, counted);
  reading.setTurn({ ...counted, turn }, { open: false, calls: false });
}

/** A reply that ends without a count of its tokens, because it was cut. */
export function cutStep(reading: Reading, thread: Thread): void {
  const { turn } = thread;
  if (!turn?.open) return;
  reading.say({ type: "step.finished", step: stepKey(turn.id, turn.steps), finish: "interrupted" }, thread);
  reading.setTurn(thread, { open: false, calls: false });
}
