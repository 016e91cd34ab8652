import { withEntry } from "../../../core/entries.ts";
import type { Question } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../../core/json/fields.ts";
import { permitted } from "../permission-patterns.ts";
import { PLAN_OPTIONS } from "../plan-options.ts";
import { toolTitle } from "../tool-title.ts";
import { announceCall } from "./children.ts";
import { type Foreign, onHook } from "./hooks.ts";
import type { Reading, Request } from "./state.ts";

/** Reads a request of the program. A request that no person can answer is returned, so that it is refused: without an answer the program would hang. */
export function onControlRequest(reading: Reading, line: Fields): Foreign | undefined {
  const id = textIn(line, "request_id");
  const request = fieldsIn(line, "request");
  const subtype = textIn(request, "subtype") ?? "unknown";
  if (id === undefined) return undefined;
  if (subtype === "hook_callback") return onHook(reading, id, request);
  if (subtype !== "can_use_tool") return { id, subtype };
  if (!reading.state.requests.has(id)) onAsk(reading, id, request);
  return undefined;
}

function onAsk(reading: Reading, ask: string, body: Fields): void {
  const agent = textIn(body, "agent_id");
  const child = reading.state.children.get(agent ?? "")?.ref;
  const tool = textIn(body, "tool_name") ?? "unknown";
  const input = fieldsIn(body, "input");
  const call = textIn(body, "tool_use_id");
  const request: Request = { tool, input, ...present({ call, child }) };
  reading.patch({ requests: withEntry(reading.state.requests, ask, request) });
  announceCall(reading, agent, request);
  if (tool === "AskUserQuestion") askQuestions(reading, ask, request);
  else if (tool === "ExitPlanMode") askPlan(reading, ask, request);
  else askPermission(reading, ask, request, body);
}

function askPermission(reading: Reading, ask: string, { tool, input, call, child }: Request, body: Fields): void {
  const { directory, places } = reading.state;
  const place = places.get(textIn(body, "agent_id") ?? "") ?? directory;
  const permission = permitted(tool, input, { directory, place });
  const title = toolTitle(tool, input, directory) ?? textIn(body, "title") ?? textIn(body, "description") ?? tool;
  const metadata = {
    tool,
    ...present({
      description: textIn(body, "description"),
      path: textIn(body, "blocked_path"),
      reason: textIn(body, "decision_reason"),
    }),
  };
  const asked = { ask, ...permission, title, input, metadata, ...present({ call }) };
  reading.say({ type: "permission", ...asked }, child);
}

function askQuestions(reading: Reading, ask: string, { input, call, child }: Request): void {
  const questions = listIn(input, "questions").map(
    (one): Question => ({
      question: textIn(one, "question") ?? "",
      ...present({ header: textIn(one, "header") }),
      options: listIn(one, "options").map((option) => ({
        label: textIn(option, "label") ?? "",
        ...present({ description: textIn(option, "description") }),
      })),
      multiple: one.multiSelect === true,
      custom: true,
    }),
  );
  reading.say({ type: "question", ask, questions, ...present({ call }) }, child);
}

/** A plan is shown whole, and approved, or sent back with words of one's own. The program may ask without the plan that the model gave with its call. */
function askPlan(reading: Reading, ask: string, { input, call, child }: Request): void {
  const plan = textIn(input, "plan") ?? textIn(reading.state.calls.get(call ?? "")?.input ?? {}, "plan") ?? "";
  const file = textIn(input, "planFilePath");
  const question: Question = {
    question: plan,
    header: "Plan",
    options: [...PLAN_OPTIONS],
    multiple: false,
    custom: true,
  };
  const metadata = { plan, ...present({ file }) };
  reading.say({ type: "question", ask, kind: "plan", questions: [question], metadata, ...present({ call }) }, child);
}

/** The program no longer wants an answer. */
export function onControlCancel(reading: Reading, line: Fields): void {
  const ask = textIn(line, "request_id") ?? "";
  const request = reading.state.requests.get(ask);
  if (!request) return;
  reading.patch({ requests: withEntry(reading.state.requests, ask, undefined) });
  reading.say({ type: "ask.withdrawn", ask }, request.child);
}
