import type { Question } from "../core/events/values.ts";
import { type Fields, fieldsIn, isFields, listIn, present, textIn, wordOf } from "../core/json/fields.ts";

const YES = "Yes";
const NO = "No";

/** One field of a form: its name, and the values that it may have, by the words that a person sees. */
interface Field {
  name: string;
  schema: Fields;
  choices: ReadonlyMap<string, unknown>;
}

function wordsIn(schema: Fields, name: string): string[] {
  const value = schema[name];
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
}

function choicesOf(schema: Fields): ReadonlyMap<string, unknown> {
  if (schema.type === "boolean")
    return new Map<string, unknown>([
      [YES, true],
      [NO, false],
    ]);
  const holder = schema.type === "array" ? fieldsIn(schema, "items") : schema;
  const titled = [...listIn(holder, "oneOf"), ...listIn(holder, "anyOf")];
  if (titled.length > 0) return new Map(titled.map((one) => [textIn(one, "title") ?? wordOf(one.const), one.const]));
  const names = wordsIn(holder, "enumNames");
  return new Map(wordsIn(holder, "enum").map((value, at) => [names[at] ?? value, value]));
}

function fieldsOfForm(schema: Fields): Field[] {
  return Object.entries(fieldsIn(schema, "properties")).map(([name, one]) => {
    const field = isFields(one) ? one : {};
    return { name, schema: field, choices: choicesOf(field) };
  });
}

/** A form of an MCP server as questions, one for each field. A form without a field is a question of yes or no. */
export function formQuestions(server: string, message: string, form: Fields): Question[] {
  const fields = fieldsOfForm(form);
  if (fields.length === 0)
    return [
      { question: message, header: server, options: [{ label: YES }, { label: NO }], multiple: false, custom: false },
    ];
  return fields.map(({ name, schema, choices }, at) => {
    const words = [at === 0 ? message : "", textIn(schema, "title") ?? name, textIn(schema, "description") ?? ""];
    return {
      question: words.filter((word) => word !== "").join("\n"),
      header: server,
      options: [...choices.keys()].map((label) => ({ label })),
      multiple: schema.type === "array",
      custom: choices.size === 0,
    };
  });
}

function answerValue({ schema, choices }: Field, given: readonly string[]): unknown {
  const values = given.map((word) => (choices.has(word) ? choices.get(word) : word));
  if (schema.type === "array") return values;
  const [value] = values;
  if (schema.type !== "number" && schema.type !== "integer") return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** The content of the form by the answers to its questions; undefined when the person said no to a form without fields. */
export function formContent(form: Fields, answers: readonly (readonly string[])[]): Fields | undefined {
  const fields = fieldsOfForm(form);
  if (fields.length === 0) return answers[0]?.[0] === NO ? undefined : {};
  const entries = fields.map((field, at) => [
    field.name,
    answers[at]?.length ? answerValue(field, answers[at]) : undefined,
  ]);
  return present(Object.fromEntries(entries) as Fields);
}
