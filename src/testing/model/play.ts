import { setTimeout as sleep } from "node:timers/promises";
import type { Recorder } from "./recorder.ts";
import type { Answer } from "./respond.ts";

/** The bytes of an answer at their times. A hang ends only with the signal. */
export async function* play(answer: Answer, recorder: Recorder, signal: AbortSignal): AsyncGenerator<string> {
  for (const { delay, hold, data } of answer.frames) {
    if (delay) await sleep(delay, undefined, { signal });
    if (hold !== undefined) await recorder.hold(hold, signal);
    yield data;
  }
  if (answer.ending === "hang") await recorder.until(() => false, signal);
}

/** Waits before the first byte, and holds an answer that never comes. */
export async function beforeHead(answer: Answer, recorder: Recorder, signal: AbortSignal): Promise<void> {
  if (answer.wait > 0) await sleep(answer.wait, undefined, { signal });
  if (answer.silent && answer.ending === "hang") await recorder.until(() => false, signal);
}
