import type { Range } from "../history/cuts.ts";
import type { Part, Sought } from "./query.ts";
import { type Word, wordsOf } from "./words.ts";

/** Where in a text the first hits are; undefined for a text that does not fit. Ends are behind the last character. */
export function match(sought: Sought, text: string): Range[] | undefined {
  if (sought.all.length === 0) return undefined;
  const words = wordsOf(text);
  const hits: Range[] = [];
  for (const part of sought.all) {
    const found = placesOf(part, words);
    if (found.length === 0) return undefined;
    hits.push(...found);
  }
  if (sought.none.some((part) => placesOf(part, words, 1).length > 0)) return undefined;
  return hits.sort((a, b) => a.from - b.from);
}

/** Hits of one part that are told: a snippet has no room for more. */
const MOST_HITS = 20;

function placesOf(part: Part, words: readonly Word[], limit = MOST_HITS): Range[] {
  const found: Range[] = [];
  const { length } = part.words;
  for (let at = 0; at + length <= words.length && found.length < limit; at++) {
    const [first, last] = [words[at], words[at + length - 1]];
    if (first && last && isAt(part, words, at)) found.push({ from: first.start, to: last.end });
  }
  return found;
}

function isAt({ words: sought, open }: Part, words: readonly Word[], at: number): boolean {
  return sought.every((one, index) => {
    const forms = words[at + index]?.forms ?? [];
    if (open && index === sought.length - 1) return forms.some((form) => form.startsWith(one));
    return forms.includes(one);
  });
}

export interface SnippetPiece {
  text: string;
  /** Whether it is what was looked for. */
  hit: boolean;
}

const BEFORE = 60;
const LENGTH = 240;

/** The text around the first hit, in one line, with its hits told apart. */
export function snippetOf(text: string, hits: readonly Range[]): SnippetPiece[] {
  const from = edge(text, Math.max(0, (hits[0]?.from ?? 0) - BEFORE));
  const to = edge(text, Math.min(text.length, from + LENGTH));
  const pieces: SnippetPiece[] = [];
  let at = from;
  for (const hit of hits) {
    if (hit.from >= to) break;
    if (hit.to <= at) continue;
    const start = Math.max(at, hit.from);
    pieces.push({ text: text.slice(at, start), hit: false });
    at = edge(text, Math.min(hit.to, to));
    pieces.push({ text: text.slice(start, at), hit: true });
  }
  pieces.push({ text: text.slice(at, to), hit: false });
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first && from > 0) first.text = `…${first.text}`;
  if (last && to < text.length) last.text = `${last.text}…`;
  return pieces
    .map(({ text: piece, hit }) => ({ text: piece.replace(/\s+/g, " ").toWellFormed(), hit }))
    .filter((piece) => piece.text !== "");
}

/** A place that is not in the middle of a character. */
function edge(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
