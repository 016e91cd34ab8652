import { proseLine } from "./one-line.ts";

const LONGEST = 56;
/** A prompt may be as long as a book, and its title is in its beginning. */
const READ = 4_000;
const SHORTEST_SENTENCE = 12;

const FENCE = /^\s*(?:```|~~~)/;
/** The signs of Markdown that begin a line: headings, quotes, lists. */
const LINE_SIGNS = /^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+)+/;
/** Signs around words: `code`, **strong**. A single star or underscore may be part of a name. */
const WORD_SIGNS = /`+|\*\*|__(?=\S)|(?<=\S)__/g;
/** Fewer than three letters before a full stop are an abbreviation. */
const SENTENCE_END = /(?<=[\p{L}\p{N})"']{3})[.!?](?=\s+["'(]?[\p{Lu}\p{Lo}\d])/gu;

function plain(line: string): string {
  return proseLine(line.replace(LINE_SIGNS, "").replace(WORD_SIGNS, ""));
}

/** The first line with words in it, outside of code if there is one. */
function firstLine(text: string): string {
  let inCode = false;
  let code = "";
  for (const line of text.slice(0, READ).split(/\r\n|\n|\r/)) {
    if (FENCE.test(line)) inCode = !inCode;
    else if (inCode) code ||= proseLine(line);
    else if (/[\p{L}\p{N}]/u.test(plain(line))) return plain(line);
  }
  const start = text.slice(0, READ);
  return code || plain(start) || proseLine(start);
}

function firstSentence(line: string): string {
  for (const { index } of line.matchAll(SENTENCE_END)) if (index >= SHORTEST_SENTENCE) return line.slice(0, index + 1);
  return line;
}

/** As many whole words as there is room for. A single word that is too long is cut. */
function shortened(text: string): string {
  const characters = [...text];
  if (characters.length <= LONGEST) return text;
  const room = characters.slice(0, LONGEST);
  const space = room.lastIndexOf(" ");
  const kept = room.slice(0, space > LONGEST / 3 ? space : -1).join("");
  return `${kept.replace(/[\s,;:([{–—-]+$/u, "")}…`;
}

/** A short title for a session whose first prompt is this; undefined for a prompt without a single visible character. */
export function titleFrom(text: string): string | undefined {
  const title = shortened(firstSentence(firstLine(text))).replace(/(?<=[^.])[.:,;]$/, "");
  return title === "" ? undefined : title;
}
