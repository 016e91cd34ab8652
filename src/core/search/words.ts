/** Longer words are found by their beginning: texts of programs hold blobs of any length. */
const LONGEST = 64;
/** A word of more humps is an id or a blob, whose parts nobody looks for. */
const MOST_HUMPS = 6;

/** A word of a text, and where it is. */
export interface Word {
  start: number;
  end: number;
  /** All that it is found by: itself, and for `getUserName` also `get`, `user`, `name` and `username`. */
  forms: readonly string[];
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[A-Za-z0-9]+/g;
const WORDS = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Scripts that write no spaces: each letter of them counts as a word, and words of a query as letters in a row. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const HUMPS = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[^\p{Lu}]+/gu;
const CAPITAL_INSIDE = /[^A-Z][A-Z]|[A-Z]{2}[a-z]|[^\0-\x7f]/;

/** The words of a text, in their order. All that is no letter and no digit is between words. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  const plain = ASCII.test(text);
  for (const match of text.matchAll(plain ? ASCII_WORDS : WORDS)) {
    const [found] = match;
    if (plain || !UNSPACED.test(found)) add(words, found, match.index);
    else for (const piece of found.matchAll(PIECES)) add(words, piece[0], match.index + piece.index);
  }
  return words;
}

/** All that a text is found by, each once. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  for (const { forms } of wordsOf(text)) for (const form of forms) terms.add(form);
  return terms;
}

function add(words: Word[], found: string, start: number): void {
  const forms = formsOf(found);
  if (forms.length > 0) words.push({ start, end: start + found.length, forms });
}

function formsOf(word: string): string[] {
  const whole = plainForm(word);
  if (whole === "") return [];
  if (!CAPITAL_INSIDE.test(word) || word.length > LONGEST) return [whole];
  const humps = word.match(HUMPS) ?? [];
  if (humps.length < 2 || humps.length > MOST_HUMPS) return [whole];
  const forms = new Set([whole]);
  let rest = "";
  for (const hump of humps.toReversed()) {
    const form = plainForm(hump);
    rest = form + rest;
    for (const each of [form, rest]) if (each !== "") forms.add(each);
  }
  return [...forms];
}

/** A word without case and accents. */
export function plainForm(word: string): string {
  const lower = word.toLowerCase();
  if (ASCII.test(lower)) return lower.slice(0, LONGEST);
  const bare = lower
    .normalize("NFKD")
    // Signs that NFKD makes of one character, such as the brackets of ⑴, are no part of a word.
    .replace(/[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, "")
    .replaceAll("ς", "σ")
    .toLowerCase();
  const cut = bare.slice(0, LONGEST);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
