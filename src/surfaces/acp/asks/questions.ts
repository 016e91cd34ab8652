import type { AskAnswer } from "../../../client/index.ts";
import type { Question as Asked } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { FormView } from "../session/front.ts";
import { untilStopped } from "./answers.ts";
import type { Question } from "./desk.ts";
import type { Showing } from "./permission.ts";

const OTHER = "other";

function optionsOf({ options }: Asked): { const: string; title: string; description?: string }[] {
  return options.map(({ label, description }) => ({ const: label, title: label, ...present({ description }) }));
}

function fieldsOf(asked: Asked, at: number): [string, object][] {
  const facts = { title: asked.header ?? asked.question, description: asked.question };
  const options = optionsOf(asked);
  const name = `q${at + 1}`;
  if (options.length === 0) return [[name, { type: "string", ...facts }]];
  const choice = asked.multiple
    ? { type: "array", ...facts, items: { anyOf: options } }
    : { type: "string", ...facts, oneOf: options };
  const free = { type: "string", title: "Other", description: "an answer of your own, in place of one above" };
  return asked.custom
    ? [
        [name, choice],
        [`${name}_${OTHER}`, free],
      ]
    : [[name, choice]];
}

/** The form for some questions: a field for each, and one for words of the person's own where they are welcome. */
export function formOf(questions: readonly Asked[], call: string | undefined): FormView {
  const properties = Object.fromEntries(questions.flatMap(fieldsOf));
  const required = questions.flatMap((asked, at) => (asked.custom && asked.options.length > 0 ? [] : [`q${at + 1}`]));
  const message = questions.map(({ question }) => question).join("\n");
  const schema = { type: "object" as const, properties, ...(required.length === 0 ? {} : { required }) };
  return { message, schema, ...present({ call }) };
}

function textsIn(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === "string" && one !== "") as string[];
}

/** The answers of a form, one list for each question. */
export function answersIn(questions: readonly Asked[], content: Readonly<Record<string, unknown>>): string[][] {
  return questions.map((asked, at) => {
    const chosen = textsIn(content[`q${at + 1}`]);
    const own = textsIn(content[`q${at + 1}_${OTHER}`]);
    return asked.multiple ? [...chosen, ...own] : own.length > 0 ? own : chosen;
  });
}

const SKIP = "none";

function notesOn({ custom, multiple, options }: Asked): string[] {
  return [
    ...(multiple ? ["One of several possible answers can be chosen here."] : []),
    ...(custom || options.length === 0
      ? ["An answer in your own words can be given in another client of Parley."]
      : []),
  ];
}

/** Asks one question by a permission request, for clients without forms. Undefined: the person did not answer. */
async function askPlainly(asked: Asked, id: string, showing: Showing): Promise<string | undefined> {
  const { session, front, signal } = showing;
  const options = asked.options.map(({ label }, at) => ({
    optionId: `${at}`,
    name: label,
    kind: "allow_once" as const,
  }));
  const words = [
    asked.question,
    ...asked.options.flatMap(({ label, description }) =>
      description === undefined ? [] : [`${label}: ${description}`],
    ),
    ...notesOn(asked),
  ];
  const chosen = await front.permission(
    session,
    {
      id,
      title: asked.question,
      options: [...options, { optionId: SKIP, name: "No answer", kind: "reject_once" }],
      call: {
        name: "question",
        kind: "other",
        title: asked.question,
        status: "pending",
        content: [{ type: "text", text: words.join("\n") }],
      },
    },
    signal,
  );
  if (chosen === undefined) await untilStopped(signal);
  return asked.options.find((_, at) => `${at}` === chosen)?.label;
}

/** Asks the client some questions: by a form where it has forms, else one after the other. */
export async function answerQuestions(ask: Question, showing: Showing): Promise<AskAnswer> {
  const { session, front, calls, signal } = showing;
  const { questions, call } = ask.request;
  const item = call === undefined ? undefined : calls.idOf(call);
  if (front.form) {
    const content = await front.form(session, formOf(questions, item), signal);
    if (!content) await untilStopped(signal);
    return content ? { outcome: "answered", answers: answersIn(questions, content) } : "rejected";
  }
  const answers: string[][] = [];
  for (const asked of questions) {
    const answer = await askPlainly(asked, item ?? ask.id, showing);
    if (answer === undefined) return "rejected";
    answers.push([answer]);
  }
  return { outcome: "answered", answers };
}
