import { setTimeout as delay } from "node:timers/promises";
import { type Fields, fieldsIn, isFields, textIn } from "../../../core/json/fields.ts";

/** The option in a client's answer to a permission request. The SDK does not look at answers: one that cannot be read chooses nothing. */
export function chosenIn(answer: unknown): string | undefined {
  const outcome = isFields(answer) ? fieldsIn(answer, "outcome") : {};
  return outcome.outcome === "selected" ? textIn(outcome, "optionId") : undefined;
}

/** The values in a client's answer to a form; undefined where the person gave none. */
export function filledIn(answer: unknown): Fields | undefined {
  return isFields(answer) && answer.action === "accept" ? fieldsIn(answer, "content") : undefined;
}

/** A client that stops a turn answers what it was asked as cancelled, and the stop may come after that answer. */
const STOP_MS = 200;

/** Waits for the stop that an answer without a choice may belong to: then it is no refusal. */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  await delay(STOP_MS, undefined, { signal }).catch(() => {});
}
