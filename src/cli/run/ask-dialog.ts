import type { AskAnswer } from "../../client/index.ts";
import type { EventOf } from "../../core/events/event.ts";
import type { Question } from "../../core/events/values.ts";
import { shownPatterns } from "../../core/permissions/exact.ts";
import { diffLines, fittingLines, type Size } from "../output/diff-text.ts";
import { safeLine, safeText } from "../output/safe-text.ts";
import type { Paint } from "../output/terminal.ts";
import type { Person } from "./lines.ts";

export type PermissionRequest = EventOf<"permission.requested">["data"];
export type QuestionRequest = EventOf<"question.requested">["data"];

type Permission = Extract<AskAnswer, { outcome: "once" | "always" | "reject" }>;

const INPUT_SHOWN = 2_000;

function indented(text: string): string {
  return safeText(text).trimEnd().replace(/^/gm, "    ");
}

function inputText(input: unknown): string {
  const json = JSON.stringify(input, undefined, 2) ?? "";
  return json.length > INPUT_SHOWN ? `${json.slice(0, INPUT_SHOWN)}… (${json.length} characters)` : json;
}

/** The patterns that an always would allow from then on; without any the agent asks for the tool as a whole. */
function granted({ action, command, patterns }: PermissionRequest): string[] {
  if (command !== undefined) return shownPatterns(patterns, command);
  return patterns.length === 0 ? [`every use of ${action}`] : patterns.map((pattern) => `${action} ${pattern}`);
}

/** The word that shows the lines that were left out. */
const VIEW = "v";

/** Rows of the terminal that belong to the dialog's prompt, and to the answer below it. */
const PROMPT_ROWS = 2;

/**
 * Everything that will be done, so that nobody allows what they have not seen. Where that does not fit into a terminal
 * its beginning is shown, so that the question stays in view.
 */
export function permissionText(request: PermissionRequest, paint: Paint, size?: Size): string {
  const { action, command, patterns, title, input, metadata } = request;
  const head = paint("bold", `? The agent asks to use ${safeLine(action)}${title ? `: ${safeLine(title)}` : ""}`);
  const things = command === undefined ? patterns.filter((pattern) => pattern !== title) : [command];
  const body = things.flatMap((thing) => safeText(thing).trimEnd().split("\n"));
  if (typeof metadata?.diff === "string") body.push(...diffLines(metadata.diff, paint));
  else if (input !== undefined) body.push(...safeText(inputText(input)).split("\n"));
  const offered = request.options.length === 0 || request.options.some(({ kind }) => kind === "always");
  const tail = offered ? ["  always would allow, in this session:", ...granted(request).map(indented)] : [];
  const rows = size ? size.rows - 1 - tail.length - PROMPT_ROWS : Number.POSITIVE_INFINITY;
  const all = body.map((line) => `    ${line}`);
  const fitting = fittingLines(all, rows, size?.columns ?? Number.POSITIVE_INFINITY);
  // The line about the rest needs a row of its own.
  const shown = fitting < all.length ? fitting - 1 : fitting;
  const left = all.length - shown;
  const more = left > 0 ? [paint("dim", `    … ${left} more lines (${VIEW} shows them all)`)] : [];
  return `${[head, ...all.slice(0, shown), ...more, ...tail].join("\n")}\n`;
}

const KINDS = ["once", "always", "reject"] as const;

/** Answers that people know from other programs. */
const ALSO: Readonly<Record<string, (typeof KINDS)[number]>> = {
  y: "once",
  yes: "once",
  allow: "once",
  n: "reject",
  no: "reject",
  deny: "reject",
};

/** `o`, `once`, `r because it is late`; undefined for what means nothing here. */
export function parsePermission(line: string, offered: readonly string[]): Permission | undefined {
  const [, word = "", why = ""] = /^\s*(\S+)\s*(.*)$/.exec(line) ?? [];
  const typed = word.toLowerCase();
  const picked = KINDS.find((kind) => kind === typed || kind[0] === typed || kind === ALSO[typed]);
  if (!picked || !offered.includes(picked) || (why !== "" && picked !== "reject")) return undefined;
  return why === "" ? { outcome: picked } : { outcome: picked, feedback: why.trim() };
}

/** The answers that an ask offers; all of them where it names none. */
export function offeredKinds({ options }: PermissionRequest): (typeof KINDS)[number][] {
  const kinds = new Set(options.map(({ kind }) => kind));
  return KINDS.filter((kind) => kinds.size === 0 || kinds.has(kind));
}

export async function askPermission(
  request: PermissionRequest,
  person: Person,
  paint: Paint,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  const offered = offeredKinds(request);
  const choices = offered.map((kind) => `[${kind[0]}]${kind.slice(1)}`);
  const whole = permissionText(request, paint);
  const fitting = permissionText(request, paint, person.size?.());
  const cut = fitting !== whole;
  const keys = (cut ? [...choices, `[${VIEW}]iew all`] : choices).join("  ");
  person.tell(fitting);
  for (;;) {
    const line = await person.ask(`  ${keys} > `, signal);
    if (line === undefined) return undefined;
    if (cut && line.trim().toLowerCase() === VIEW) {
      person.tell(whole);
      continue;
    }
    const answer = parsePermission(line, offered);
    if (answer) return answer;
    person.tell(`  expected one of ${offered.join(", ")}; a reason may follow reject\n`);
  }
}

export function questionText({ header, question, options }: Question, paint: Paint): string {
  const head = header ? `${safeLine(header)}: ` : "";
  const rows = options.map(({ label, description }, at) => {
    const more = description ? paint("dim", `  ${safeLine(description)}`) : "";
    return `    ${at + 1}) ${safeLine(label)}${more}`;
  });
  return `${[paint("bold", `? ${head}${safeLine(question, 500)}`), ...rows].join("\n")}\n`;
}

function freeTextWelcome({ custom, options }: Question): boolean {
  return custom === true || options.length === 0;
}

/** Numbers pick options; other words are the answer itself where that is welcome. */
export function parseAnswer(line: string, question: Question): string[] | undefined {
  const { options, multiple } = question;
  const text = line.trim();
  if (text === "") return undefined;
  const picks = text.split(/[\s,]+/).filter((piece) => piece !== "");
  const labels = picks.map((piece) => (/^\d+$/.test(piece) ? options[Number(piece) - 1]?.label : undefined));
  const known = labels.filter((label) => label !== undefined);
  if (known.length === picks.length && (multiple || known.length === 1)) return [...new Set(known)];
  const byName = options.find(({ label }) => label.toLowerCase() === text.toLowerCase());
  if (byName) return [byName.label];
  return freeTextWelcome(question) ? [text] : undefined;
}

export async function askQuestions(
  request: QuestionRequest,
  person: Person,
  paint: Paint,
  signal: AbortSignal,
): Promise<AskAnswer | undefined> {
  const answers: string[][] = [];
  for (const question of request.questions) {
    const how = question.multiple ? "numbers with commas" : "a number";
    const hint =
      question.options.length === 0 ? "your words" : how + (freeTextWelcome(question) ? " or your words" : "");
    person.tell(questionText(question, paint));
    for (;;) {
      const line = await person.ask(`  ${hint} > `, signal);
      if (line === undefined) return undefined;
      const answer = parseAnswer(line, question);
      if (answer) {
        answers.push(answer);
        break;
      }
      person.tell(`  expected ${hint}; Ctrl-D leaves it unanswered\n`);
    }
  }
  return { outcome: "answered", answers };
}
