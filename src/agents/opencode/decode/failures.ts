import type { Failure } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, numberIn, present, textIn } from "../../../core/json/fields.ts";

/** The program's names of errors in Parley's codes. An unknown one is a failure of the model. */
const CODES: Readonly<Record<string, string>> = {
  ProviderAuthError: "model_auth",
  MessageOutputLengthError: "output_full",
  ContextOverflowError: "context_full",
  ProviderModelNotFoundError: "model_not_found",
  ModelNotFoundError: "model_not_found",
};

const STATUSES: Readonly<Record<number, string>> = {
  401: "model_auth",
  402: "model_billing",
  403: "model_auth",
  404: "model_not_found",
  429: "model_rate_limited",
};

/** The program adds the places in its own source to some messages. */
const STACK = /\n\s+at [\s\S]*$/;

/** Its words when it cannot write to its database, in whichever layer of it. */
const UNWRITTEN = /SqlError|SQLITE_\w+|^Failed to execute statement|ENOSPC|disk is full/;

const NO_MODEL = /^Model not found/i;

export function isAbort(error: Fields): boolean {
  return textIn(error, "name") === "MessageAbortedError";
}

/** An error of the program's: why a turn failed. */
export function failureOf(error: Fields): Failure {
  const failure = readFailure(error);
  if (!UNWRITTEN.test(failure.message)) return failure;
  const message = `OpenCode cannot write its data: look whether its disk is full (${failure.message})`;
  return { ...failure, code: "agent_failed", message };
}

function readFailure(error: Fields): Failure {
  const data = fieldsIn(error, "data");
  const name = textIn(error, "name") ?? "error";
  const said = textIn(data, "message") || textIn(error, "message") || `OpenCode reports ${name} without saying more`;
  const message = said.replace(STACK, "").trim() || said;
  const status = numberIn(data, "statusCode");
  const own = Object.hasOwn(CODES, name) ? CODES[name] : undefined;
  const code = own ?? STATUSES[status ?? 0] ?? (NO_MODEL.test(message) ? "model_not_found" : "model_failed");
  return { code, message, retryable: data.isRetryable === true, details: present({ kind: name, status }) };
}
