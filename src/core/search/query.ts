import { plainForm, wordsOf } from "./words.ts";

/** A shorter word that is still being typed is taken as it is: too much would begin with it. */
const LEAST_PREFIX = 2;
/** The rest of a query after so many characters or words is left out. */
const LONGEST_QUERY = 1_000;
const MOST_PARTS = 32;

/** Words in a row: `src/log/contract.ts` is four of them. */
export interface Part {
  words: readonly string[];
  /** The last of them may go on. */
  open: boolean;
}

/** A query, understood. A text fits when it has all of `all` and none of `none`. */
export interface Sought {
  all: readonly Part[];
  none: readonly Part[];
}

/** A piece of a query: perhaps a minus, then a text in quotes (the last quote may be missing) or one without spaces. */
const PIECES = /(-?)(?:"([^"]*)("|$)|([^\s"]+))/g;

/** Understands any text whatever: there is no wrong query. */
export function readQuery(text: string): Sought {
  const all: Part[] = [];
  const none: Part[] = [];
  const asked = text.slice(0, LONGEST_QUERY);
  for (const { index, 0: piece, 1: minus, 2: quoted, 4: bare } of asked.matchAll(PIECES)) {
    if (all.length + none.length === MOST_PARTS) break;
    const atEnd = index + piece.length === asked.length;
    const open = minus === "" && bare !== undefined && (bare.endsWith("*") || (atEnd && asked === text));
    const part = partOf(quoted ?? bare ?? "", open);
    if (part) (minus === "" ? all : none).push(part);
  }
  return { all, none };
}

function partOf(text: string, open: boolean): Part | undefined {
  const words = wordsOf(text).flatMap(({ start, end }) => plainForm(text.slice(start, end)));
  const last = words.at(-1);
  if (last === undefined) return undefined;
  // A text that ends with a sign, such as `foo(`, has its last word whole; a star asks for more of it.
  const ends = /[\p{L}\p{N}\p{M}*]$/u.test(text);
  return { words, open: open && ends && last.length >= LEAST_PREFIX };
}
