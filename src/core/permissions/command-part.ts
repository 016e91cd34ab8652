import { HOLE } from "./glob.ts";
import type { Insight } from "./programs/insight.ts";
import { isHarmless, runsValue } from "./programs/variables.ts";
import { type Assignment, type Word, wordsText } from "./shell/word.ts";

/** A command of a line, in the one way of writing that rules are compared with. */
export interface CommandPart {
  kind: "command";
  text: string;
  /** Other ways to write it: a denial of one of them binds. */
  also: string[];
  /** So much of the text must be spelled out by a rule that allows it, unless it is the very text. */
  spelled: number;
  /** It may run programs that nobody sees in its words. */
  hidden: boolean;
  /** These may be lines of shell, which open files. The programs of packages are none. */
  opaque: boolean;
  /** It is part of another command that a rule allows as a whole: only denials are for it. */
  told: boolean;
  words: Word[];
}

/** The words with one blank between them, without quotes. */
export function plainText(words: readonly Word[]): string {
  return words.map(({ value }) => value).join(" ");
}

export function commandPart(
  assignments: readonly Assignment[],
  words: readonly Word[],
  { spelled = 1, hidden = false, told: runs = [] }: Insight,
  told: boolean,
): CommandPart {
  const strange = assignments.filter((one) => !isHarmless(one));
  const before = strange.map(({ name, value }) => `${name}=${value === "" ? "" : wordsText([{ value }])}`);
  const text = [...before, wordsText(words)].filter((piece) => piece !== "").join(" ");
  const start = [...before, wordsText(words.slice(0, spelled))].filter((piece) => piece !== "").join(" ");
  // A star behind a blank may stand for nothing: two more than there is can only be the very text.
  const over = spelled > words.length ? 2 : 0;
  const setsRun = assignments.some(runsValue);
  return {
    kind: "command",
    text,
    also: otherTexts(words),
    spelled: start.length + over,
    hidden: hidden || setsRun,
    opaque: (hidden && runs.length === 0) || setsRun,
    told,
    words: [...words],
  };
}

/** The same command without quotes, without its assignments, without the options before all else, by its program's name alone, and in small letters. */
function otherTexts(words: readonly Word[]): string[] {
  const [program, ...rest] = words;
  if (!program) return [];
  const name = program.value.split("/").at(-1) ?? "";
  const names = new Set([program.value, name, name.toLowerCase()]);
  const texts = [...names].flatMap((value) =>
    [rest, ...behindOptions(name, rest)].flatMap((behind) => [
      plainText([{ ...program, value }, ...behind]),
      wordsText([{ ...program, value }, ...behind]),
    ]),
  );
  return [...new Set(texts)];
}

/** Options that have no value in the next word. */
const VALUELESS = /^--(?:no-|[^=]+=)/;
const VALUELESS_OF_GIT = /^(?:-[pP]|--(?:no-.*|paginate|bare|literal-pathspecs|[^=]+=.*))$/;

/** Behind so many options the rest is a hole: the work must not grow with the square of the words. */
const MOST_OPTIONS = 32;

/** The words behind options that stand before all else, where some may have a value: `-C dir push` is `push`, too. */
function behindOptions(name: string, words: readonly Word[]): Word[][] {
  const valueless = name === "git" ? VALUELESS_OF_GIT : VALUELESS;
  const found: Word[][] = [];
  for (let at = 0; words[at]?.value.startsWith("-"); ) {
    if (found.length >= MOST_OPTIONS) return [...found, [{ value: HOLE, bare: false }]];
    const option = words[at++]?.value ?? "";
    found.push(words.slice(at));
    const next = words[at];
    if (next && !next.value.startsWith("-") && !valueless.test(option)) found.push(words.slice(++at));
  }
  return found;
}
