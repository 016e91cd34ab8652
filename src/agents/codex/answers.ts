import { type Fields, fieldsIn, listIn, textIn } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { formContent } from "../elicitation.ts";
import { REFUSALS } from "./decode/requests.ts";
import type { Request } from "./decode/state.ts";

type Permission = Extract<Answer, { kind: "permission" }>;
type Answered = Extract<Answer, { outcome: "answered" }>;

/** Whether the thing that was asked about will not be done. */
export function isRefusal(answer: Answer): boolean {
  return answer.outcome === "reject" || answer.outcome === "rejected";
}

/** Whether the turn is to end with it. */
export function isLastWord(answer: Answer): boolean {
  return "stop" in answer && answer.stop === true && isRefusal(answer);
}

/** An "always" is a grant of Parley's: the program goes on asking, so that a later denial holds, too. */
function decision(answer: Permission): Fields {
  if (answer.outcome !== "reject") return { decision: "accept" };
  return { decision: answer.stop ? "cancel" : "decline" };
}

function elicited(request: Request, answer: Answered): Fields {
  const { params } = request;
  const accepted = (content: Fields | null): Fields => ({ action: "accept", content, _meta: null });
  if (params.mode === "url")
    return answer.answers[0]?.[0] === "Done" ? accepted(null) : (REFUSALS[request.method] ?? {});
  const content = formContent(fieldsIn(params, "requestedSchema"), answer.answers);
  return content ? accepted(content) : (REFUSALS[request.method] ?? {});
}

function inputAnswers({ params }: Request, { answers }: Answered): Fields {
  const entries = listIn(params, "questions").map((question, at) => [
    textIn(question, "id") ?? String(at),
    { answers: answers[at] ?? [] },
  ]);
  return { answers: Object.fromEntries(entries) };
}

/** The answer of a person or a rule in the program's words. */
export function resultOf(request: Request, answer: Answer): Fields {
  const { method, params } = request;
  if (answer.kind === "question") {
    if (answer.outcome !== "answered") return REFUSALS[method] ?? {};
    return method === "item/tool/requestUserInput" ? inputAnswers(request, answer) : elicited(request, answer);
  }
  if (method === "item/commandExecution/requestApproval" || method === "item/fileChange/requestApproval")
    return decision(answer);
  if (isRefusal(answer)) return REFUSALS[method] ?? {};
  if (method === "item/permissions/requestApproval") {
    const scope = answer.outcome === "always" ? "session" : "turn";
    return { permissions: granted(fieldsIn(params, "permissions")), scope };
  }
  return { action: "accept", content: {}, _meta: null };
}

/** The rights that were asked for, without those that are null. */
function granted(wanted: Fields): Fields {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));
}
