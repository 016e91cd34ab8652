import type { Question } from "../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, textIn, wordOf } from "../../core/json/fields.ts";
import type { Answer, Signal } from "../../core/ledger/signals.ts";
import { formContent, formQuestions } from "../elicitation.ts";
import { type Permission, permissionOf } from "./permissions.ts";
import type { Reply, RequestId } from "./rpc.ts";

/** A request of the program that a person or a rule answers. */
export interface OpenAsk {
  id: RequestId;
  /** The program's id of the call that it is about. */
  call?: string;
  /** The action that is allowed by a yes, as it was shown to the one who allows it. */
  permission?: Permission;
  /** Makes the program's answer. */
  reply(answer: Answer): Reply;
  /** The answer when the turn is stopped or over. */
  cancelled: Reply;
}

export interface Asked {
  ask: OpenAsk;
  signal: Signal;
}

export const CANCELLED: Reply = { result: { outcome: { outcome: "cancelled" } } };
const NO_FORM: Reply = { result: { action: "cancel" } };
export const DECLINED: Reply = { result: { action: "decline" } };

/** Kinds of options by the answer that they stand for, the best first. An "always" is kept by Parley, and the program goes on asking. */
const KINDS = {
  once: ["allow_once", "allow_always"],
  always: ["allow_once", "allow_always"],
  reject: ["reject_once", "reject_always"],
} as const;

function selected(option: Fields | undefined): Reply {
  const optionId = textIn(option ?? {}, "optionId");
  return optionId === undefined ? CANCELLED : { result: { outcome: { outcome: "selected", optionId } } };
}

/** Chooses an option by its kind, never by its id or name: those are the agent's own. */
function chosen(options: readonly Fields[], answer: Answer): Reply {
  if (answer.kind !== "permission") return CANCELLED;
  const kinds = KINDS[answer.outcome];
  return selected(kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option));
}

/** A choice of the way to go on, such as after a plan, has several answers of one kind: it is a question. */
function isChoice(call: Fields, options: readonly Fields[]): boolean {
  return call.kind === "switch_mode" && options.filter(({ kind }) => wordOf(kind).startsWith("allow")).length > 1;
}

function nameOf(option: Fields): string {
  return textIn(option, "name") ?? textIn(option, "optionId") ?? "";
}

function choiceAnswer(options: readonly Fields[], answer: Answer): Reply {
  const words = answer.kind === "question" && answer.outcome === "answered" ? answer.answers[0]?.[0] : undefined;
  const option = words === undefined ? undefined : options.find((one) => nameOf(one) === words);
  return selected(option ?? options.find(({ kind }) => wordOf(kind).startsWith("reject")));
}

/** `known` is the call as it was told before: the request repeats a part of it. */
export function askPermission(
  id: RequestId,
  params: Fields,
  known: { key: string; told: Fields } | undefined,
  context: { ask: string; directory: string },
): Asked {
  const asked = fieldsIn(params, "toolCall");
  const present = Object.fromEntries(Object.entries(asked).filter(([, value]) => value != null));
  const call = { ...known?.told, ...present, ...(isEmpty(asked.rawInput) ? { rawInput: known?.told.rawInput } : {}) };
  const options = listIn(params, "options");
  const of = textIn(asked, "toolCallId");
  const about = { ask: context.ask, ...(known ? { call: known.key } : {}) };
  const open = { id, cancelled: CANCELLED, ...(of === undefined ? {} : { call: of }) };
  if (isChoice(call, options)) {
    const question: Question = {
      question: textIn(call, "title") ?? "How to go on?",
      options: options.map((option) => ({ label: nameOf(option) })),
      multiple: false,
      custom: false,
    };
    return {
      ask: { ...open, reply: (answer) => choiceAnswer(options, answer) },
      signal: { type: "question", ...about, questions: [question] },
    };
  }
  const permission = permissionOf(call, context.directory);
  return {
    ask: { ...open, permission, reply: (answer) => chosen(options, answer) },
    signal: { type: "permission", ...about, ...permission },
  };
}

function isEmpty(value: unknown): boolean {
  return value == null || (isFields(value) && Object.keys(value).length === 0);
}

const SECRET = /pass(?:word|phrase)|secret|api.?key|token|credential/i;

/** Whether a form asks for a secret: an answer is kept in the log and shown to every client. */
export function wantsSecret(schema: Fields): boolean {
  return Object.entries(fieldsIn(schema, "properties")).some(([name, field]) => {
    const { format, writeOnly, title, type } = isFields(field) ? field : {};
    if (format === "password" || writeOnly === true) return true;
    return (type === "string" || type === undefined) && SECRET.test(`${name} ${wordOf(title ?? "")}`);
  });
}

/** A form as questions; undefined where it is of a kind that cannot be asked. */
export function askForm(
  id: RequestId,
  params: Fields,
  title: string,
  context: { ask: string; call?: string | undefined },
): Asked | undefined {
  const schema = params.requestedSchema;
  if (params.mode !== "form" || !isFields(schema) || wantsSecret(schema)) return undefined;
  const reply = (answer: Answer): Reply => {
    if (answer.kind !== "question" || answer.outcome !== "answered") return DECLINED;
    const content = formContent(schema, answer.answers);
    return content ? { result: { action: "accept", content } } : DECLINED;
  };
  const questions = formQuestions(title, textIn(params, "message") ?? "", schema);
  return {
    ask: { id, reply, cancelled: NO_FORM },
    signal: { type: "question", ask: context.ask, questions, ...(context.call ? { call: context.call } : {}) },
  };
}
