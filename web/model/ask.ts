import type { Ask } from "../../src/client/index.ts";
import type { AskOption } from "../../src/core/events/values.ts";
import { type Fields, isFields, listIn, textIn } from "../../src/core/json/fields.ts";

/** A permission as a person sees it: all that they need to decide, whole. */
export interface PermissionView {
  /** What the agent wants, in a few words. */
  headline: string;
  /** The whole line of shell. */
  command?: string;
  /** The changes that it would make. */
  diffs: { path?: string; diff: string }[];
  /** The rest of what the agent said of it, as JSON. */
  input?: string;
  /** The agent's own reason. */
  reason?: string;
  /** What an "always" would allow for the rest of the session, unless its label says so; none where it is not offered. */
  always?: { label: string; covers?: string };
  once: string;
}

const ACTIONS: Readonly<Record<string, string>> = {
  bash: "run a command",
  shell: "run a command",
  edit: "change a file",
  write: "write a file",
  read: "read a file",
  webfetch: "fetch a page",
  websearch: "search the web",
  external_directory: "work outside of its directory",
  doom_loop: "repeat the same call",
  permissions: "have further permissions",
};

function labelOf(options: readonly AskOption[], kind: AskOption["kind"], other: string): string {
  return options.find((option) => option.kind === kind)?.label ?? other;
}

const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![\n\t])\p{Cc}/gu;

/** A text whose unseen characters are named: such ones can make a command look like another. */
export function withUnseen(text: string): string {
  return text.replace(UNSEEN, (one) => `⟨U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

function alwaysOf(label: string, patterns: readonly string[]): { label: string; covers?: string } {
  if (patterns.length === 0) return { label, covers: "all of this kind" };
  return patterns.every((pattern) => label.includes(pattern)) ? { label } : { label, covers: patterns.join("  ") };
}

function diffsIn(metadata: Fields, path: string | undefined): PermissionView["diffs"] {
  const files = listIn(metadata, "files").flatMap((file) => {
    const diff = textIn(file, "patch") ?? textIn(file, "diff");
    const name = textIn(file, "filePath") ?? textIn(file, "path") ?? textIn(file, "file");
    return diff === undefined ? [] : [{ diff, ...(name === undefined ? {} : { path: name }) }];
  });
  const diff = textIn(metadata, "diff") ?? textIn(metadata, "patch");
  if (files.length > 0 || diff === undefined) return files;
  return [path === undefined ? { diff } : { path, diff }];
}

/** An edit that comes without a diff: the old and the new text, as removed and added lines. */
function editIn(input: Fields): string | undefined {
  const before = textIn(input, "old_string") ?? textIn(input, "oldString");
  const after = textIn(input, "new_string") ?? textIn(input, "newString") ?? textIn(input, "content");
  if (after === undefined) return undefined;
  const lines = (sign: string, text: string): string[] =>
    text === "" ? [] : text.split("\n").map((line) => sign + line);
  return [...lines("-", before ?? ""), ...lines("+", after)].join("\n");
}

export function permissionView({ request }: Ask & { kind: "permission" }): PermissionView {
  const { action, title, command, patterns, input, metadata = {}, options } = request;
  const fields = isFields(input) ? input : {};
  const path = textIn(fields, "file_path") ?? textIn(fields, "filePath") ?? textIn(fields, "path") ?? patterns[0];
  const given = diffsIn(metadata, path);
  const edit = given.length > 0 || command !== undefined ? undefined : editIn(fields);
  const diffs = edit === undefined ? given : [{ diff: edit, ...(path === undefined ? {} : { path }) }];
  const what = ACTIONS[action] ?? `use ${action}`;
  const subject = title ?? patterns.join(", ");
  const shown = command === undefined && diffs.length === 0 && Object.keys(fields).length > 0;
  const reason = textIn(metadata, "reason");
  const offersAlways = options.some(({ kind }) => kind === "always");
  return {
    headline: withUnseen(subject === "" || subject === command ? what : `${what}: ${subject}`),
    diffs: diffs.map(({ diff, ...named }) => ({ ...named, diff: withUnseen(diff) })),
    once: labelOf(options, "once", "Allow once"),
    ...(command === undefined ? {} : { command: withUnseen(command) }),
    ...(shown ? { input: withUnseen(JSON.stringify(input, null, 2)) } : {}),
    ...(reason === undefined ? {} : { reason }),
    ...(offersAlways ? { always: alwaysOf(labelOf(options, "always", "Always allow"), patterns) } : {}),
  };
}

/** The choices of a person so far, a list for each question. */
export type Choices = readonly { picked: readonly string[]; own: string }[];

export const noChoice = { picked: [], own: "" } as const;

/** The choices with an option picked or no longer picked. With a single choice another one goes. */
export function pick(choices: Choices, at: number, label: string, multiple: boolean): Choices {
  return choices.map((choice, index) => {
    if (index !== at) return choice;
    const was = choice.picked.includes(label);
    if (!multiple) return { picked: was ? [] : [label], own: "" };
    return { ...choice, picked: was ? choice.picked.filter((one) => one !== label) : [...choice.picked, label] };
  });
}

/** The choices with a text of the person's own. With a single choice it stands in place of an option. */
export function write(choices: Choices, at: number, own: string, multiple: boolean): Choices {
  return choices.map((choice, index) =>
    index === at ? { picked: multiple || own === "" ? choice.picked : [], own } : choice,
  );
}

/** The answers that the choices make, or undefined while a question has none. */
export function answersOf(choices: Choices): string[][] | undefined {
  const answers = choices.map(({ picked, own }) => [...picked, ...(own.trim() === "" ? [] : [own.trim()])]);
  return answers.every((answer) => answer.length > 0) ? answers : undefined;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  once: "allowed once",
  always: "always allowed",
  reject: "rejected",
  rejected: "rejected",
  answered: "answered",
  cancelled: "taken back",
};

const SPEAKERS: Readonly<Record<string, string>> = {
  rule: "a rule",
  policy: "the policy for sessions that nobody watches",
  deadline: "the deadline",
  agent: "the agent",
  turn: "the end of the turn",
  client: "another client",
};

/** The end of an ask in words: what, and by whom. */
export function resolutionWords({ outcome, by }: { outcome: string; by: string }): string {
  return `${OUTCOMES[outcome] ?? outcome} by ${SPEAKERS[by] ?? by}`;
}
