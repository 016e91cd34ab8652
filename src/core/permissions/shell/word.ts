import { HOLE } from "../glob.ts";

/** One word of a command as the program gets it. A part that only the shell will know is a hole. */
export interface Word {
  value: string;
  /** No character of it was quoted: only such a word can be a keyword of the shell. */
  bare: boolean;
  /** The shell may make several words of it, of which any can be anything. */
  splits?: boolean;
  /** It may make several words of it that begin alike: by a glob or braces. */
  several?: boolean;
}

export interface Assignment {
  name: string;
  value: string;
}

export interface Redirection {
  kind: "write" | "read";
  path: string;
}

/** One simple command. A command without words only assigns or redirects. */
export interface SimpleCommand {
  assignments: Assignment[];
  words: Word[];
  redirections: Redirection[];
}

/** The commands that were found in a line. Where `doubt` is set there may be more in it than was found. */
export interface Reading {
  commands: SimpleCommand[];
  doubt?: string;
}

export function isKnown(word: Pick<Word, "value"> | undefined): boolean {
  return word !== undefined && !word.value.includes(HOLE);
}

/** A word that may be an option, or have one behind it, which only the shell will know. */
export function mayBeOption({ value, splits = false }: Word): boolean {
  // The name of an option that has its value behind a sign is known.
  return splits || (/^(?:-[\s\S]*)?\0/.test(value) && !/^--[\w-]+=/.test(value));
}

/** One word for certain, whatever it will be. */
export function isOne(word: Word | undefined): boolean {
  return word !== undefined && !word.splits && !word.several;
}

const PLAIN = /^[\p{L}\p{N}_@%+=:,./^~\0-]+$/u;

/** Words that need no quotes: the program `[`, and the braces that stand for a name in `find` and `xargs`. */
const AS_THEY_ARE = new Set(["[", "]", "{}"]);

/** A word, quoted so that it stays one word. */
export function shown({ value }: Pick<Word, "value">): string {
  return PLAIN.test(value) || AS_THEY_ARE.has(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** The words of a command in the one way of writing that rules are compared with. */
export function wordsText(words: readonly Pick<Word, "value">[]): string {
  return words.map(shown).join(" ");
}
