import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { Desk } from "./desk.ts";
import { failureOf, isAbort } from "./failures.ts";
import { noteFailure } from "./messages.ts";
import type { Branch, OpenAsk } from "./state.ts";
import { retractText } from "./texts.ts";
import { withdraw } from "./turns.ts";

export type Handler = (desk: Desk, branch: Branch, properties: Fields) => void;

/** The title that a session has before the model has found one. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;

const PLAN_STATUS = ["pending", "in_progress", "completed", "cancelled"] as const;
const PRIORITIES = ["high", "medium", "low"] as const;

/** Events of a session that are not about its messages. */
export const SESSION_EVENTS: Readonly<Record<string, Handler>> = {
  "session.updated": onUpdated,
  "session.status": onStatus,
  "session.idle": (desk, branch) => desk.check(branch),
  "session.error": onError,
  "todo.updated": onTodos,
  "permission.asked": onAsked("permission"),
  "permission.replied": onReplied,
  "question.asked": onAsked("question"),
  "question.replied": onReplied,
  "question.rejected": onReplied,
};

function onUpdated(desk: Desk, branch: Branch, properties: Fields): void {
  const title = textIn(fieldsIn(properties, "info"), "title");
  if (!title || NO_TITLE.test(title) || title === branch.title) return;
  branch.title = title;
  if (branch.parent === undefined) desk.tell(branch, { type: "session", title });
}

/**
 * The program says `idle` before the last state of a turn that is aborted or fails, and a `busy` may come late: both only have the program asked. The end of a
 * retry is told by what follows it.
 */
export function onStatus(desk: Desk, branch: Branch, properties: Fields): void {
  const status = fieldsIn(properties, "status");
  if (status.type === "idle") return desk.check(branch);
  if (!branch.turn) return status.type === "busy" && branch.parent === undefined ? desk.check(branch) : undefined;
  branch.turn.worked = true;
  if (status.type === "busy")
    return isSumming(branch) ? undefined : desk.tell(branch, { type: "status", status: "running" });
  if (status.type !== "retry") return;
  const [attempt = 1, next = 0] = [numberIn(status, "attempt"), numberIn(status, "next")];
  const said = `${attempt}:${next}`;
  if (branch.status === said) return;
  branch.status = said;
  for (const message of branch.messages.values())
    for (const part of message.parts.values())
      if (part.type === "text" || part.type === "reasoning") desk.tell(branch, ...retractText(part));
  const message = textIn(status, "message") ?? "";
  desk.tell(branch, { type: "status", status: "retrying", attempt, message, next });
}

/** The conversation is being shortened: the program is busy, and clients are told more. */
function isSumming({ messages }: Branch): boolean {
  return [...messages.values()].some(({ info, begun, over }) => info.summary === true && begun && !over);
}

function onError(desk: Desk, branch: Branch, properties: Fields): void {
  const { error } = properties;
  if (!isFields(error)) return;
  if (branch.turn && isAbort(error)) branch.turn.aborted = true;
  else if (branch.turn) noteFailure(branch, error);
  else if (!isAbort(error)) noteLate(desk, branch, failureOf(error).message);
}

/** The program tells the error of some turns once more after their end. */
function noteLate(desk: Desk, branch: Branch, text: string): void {
  if (branch.lastFailure !== undefined && text.includes(branch.lastFailure.replace(/\.$/, ""))) return;
  branch.lastFailure = text;
  desk.tell(branch, { type: "note", level: "warn", text: `OpenCode: ${text}` });
}

export function onTodos(desk: Desk, branch: Branch, properties: Fields): void {
  if (!branch.turn) return;
  const entries = listIn(properties, "todos").map((todo) => ({
    text: textIn(todo, "content") ?? "",
    status: PLAN_STATUS.find((one) => one === todo.status) ?? "pending",
    ...present({ priority: PRIORITIES.find((one) => one === todo.priority) }),
  }));
  const plan = JSON.stringify(entries);
  if (branch.plan === plan) return;
  branch.plan = plan;
  desk.tell(branch, { type: "plan", entries });
}

/** An ask is told when the call that it is about is known: the program may tell of the ask first. */
export function onAsked(kind: OpenAsk["kind"]): Handler {
  return (desk, branch, request) => {
    const id = textIn(request, "id");
    const { asks } = desk.tree;
    if (id === undefined || asks.has(id)) return;
    if (!branch.turn && branch.parent === undefined) return desk.check(branch);
    const message = textIn(fieldsIn(request, "tool"), "messageID");
    if (!desk.turnOf(branch, message ?? id)) return;
    asks.set(id, { id, session: branch.id, kind, request, told: false });
    if (message !== undefined && branch.messages.get(message)?.asked !== true && !isKnown(branch, request))
      desk.want({ type: "message", session: branch.id, message });
  };
}

function isKnown(branch: Branch, request: Fields): boolean {
  const tool = fieldsIn(request, "tool");
  const parts = branch.messages.get(textIn(tool, "messageID") ?? "")?.parts.values() ?? [];
  return [...parts].some((part) => part.call === tool.callID && part.input !== undefined);
}

function onReplied(desk: Desk, _branch: Branch, properties: Fields): void {
  withdraw(desk, textIn(properties, "requestID") ?? textIn(properties, "id") ?? "");
}
