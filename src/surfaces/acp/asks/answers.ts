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
