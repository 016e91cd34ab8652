import type { Fields } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { Request } from "./decode/state.ts";
import { refuseCall } from "./hooks.ts";
import { APPROVE, APPROVE_EDITS, KEEP_PLANNING } from "./plan-options.ts";

/** A piece of a user's line, as the Messages API knows it. */
export type Content =
  | { type: "text"; text: string }
  | { type: "image" | "document"; source: { type: "base64"; media_type: string; data: string } };

/** Requests that Parley makes of the program. */
export type ControlRequest =
  | { subtype: "initialize"; forwardSubagentText: boolean; hooks?: Fields }
  | { subtype: "interrupt"; cancel_queued: true }
  | { subtype: "cancel_async_message"; message_uuid: string }
  | { subtype: "set_model"; model: string }
  | { subtype: "set_permission_mode"; mode: string }
  | { subtype: "apply_flag_settings"; settings: { effortLevel: string | null } }
  | { subtype: "get_settings" }
  | { subtype: "get_binary_version" };

/** A line of the user. By its id Parley can take the line back, and the program tells when it takes the line up. */
export function userLine(content: readonly Content[], uuid: string): string {
  return JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
}

export function controlLine(id: string, request: ControlRequest): string {
  return JSON.stringify({ type: "control_request", request_id: id, request });
}

function responseLine(id: string, response: Fields): string {
  return JSON.stringify({ type: "control_response", response: { subtype: "success", request_id: id, response } });
}

/** The answer to a hook: an empty one leaves the call to the program's own rules. */
export function hookLine(id: string, output: Fields = {}): string {
  return responseLine(id, output);
}

/** Every request of the program gets an answer; without one it would wait for ever. */
export function refusalLine(id: string, error: string): string {
  return JSON.stringify({ type: "control_response", response: { subtype: "error", request_id: id, error } });
}

/** The program takes no permission without the input it is for. */
function allow(input: Fields, more: Fields = {}): Fields {
  return { behavior: "allow", updatedInput: input, ...more };
}

/** A refusal with `interrupt` ends the program's turn; after any other the model hears of it and goes on. */
function deny(message: string, stop = false): Fields {
  return { behavior: "deny", message, ...(stop ? { interrupt: true } : {}) };
}

/** An "always" is a grant of Parley's. The program's own suggestions are not used: they allow more than was asked for. */
function permissionAnswer({ input }: Request, answer: Extract<Answer, { kind: "permission" }>): Fields {
  if (answer.outcome !== "reject") return allow(input);
  return deny(answer.feedback || "The user does not want this tool call to be made.", answer.stop);
}

/** The answer to a plan names the mode: without it the program would go back to the mode before `plan`. */
function approve(input: Fields, mode: string): Fields {
  return allow(input, { updatedPermissions: [{ type: "setMode", mode, destination: "session" }] });
}

function planAnswer({ input }: Request, answer: Extract<Answer, { kind: "question" }>): Fields {
  if (answer.outcome === "rejected")
    return deny(answer.feedback || "The user does not want to go on with this plan.", answer.stop);
  const words = answer.answers.flat();
  const [choice] = words;
  if (choice === APPROVE) return approve(input, "default");
  if (choice === APPROVE_EDITS) return approve(input, "acceptEdits");
  const wishes = words.filter((word) => word !== KEEP_PLANNING).join("\n");
  return deny(wishes || "Keep planning; the user does not want you to begin yet.");
}

/** Answers by the question's text; questions without an answer are left out. */
function questionAnswer({ input }: Request, answer: Extract<Answer, { kind: "question" }>): Fields {
  if (answer.outcome === "rejected") return deny(answer.feedback || "The user does not want to answer.", answer.stop);
  const questions = Array.isArray(input.questions) ? (input.questions as Fields[]) : [];
  const answers = questions.flatMap(({ question }, at): [string, string][] => {
    const given = answer.answers[at] ?? [];
    return typeof question === "string" && given.length > 0 ? [[question, given.join(", ")]] : [];
  });
  return allow({ ...input, answers: Object.fromEntries(answers) });
}

export function answerLine(id: string, request: Request, answer: Answer): string {
  if (request.hook) return responseLine(id, refuseCall(feedbackOf(answer)));
  if (answer.kind === "permission") return responseLine(id, permissionAnswer(request, answer));
  const give = request.tool === "ExitPlanMode" ? planAnswer : questionAnswer;
  return responseLine(id, give(request, answer));
}

function feedbackOf(answer: Answer): string {
  return ("feedback" in answer && answer.feedback) || "Parley refuses this tool call.";
}

/** Whether the turn is to end with it. */
export function isLastWord(answer: Answer): boolean {
  return "stop" in answer && answer.stop === true && isRefusal(answer);
}

/** Whether the call will not be made. */
export function isRefusal(answer: Answer): boolean {
  return answer.outcome === "reject" || answer.outcome === "rejected";
}
