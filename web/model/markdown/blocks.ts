import { Lexer, type Token, type Tokens } from "marked";
import { cutOf } from "./cut.ts";

/** A text as blocks of markdown, and how far it was read. */
export interface Blocks {
  text: string;
  tokens: readonly Token[];
}

const OPTIONS = { gfm: true, breaks: false, async: false } as const;

export const NO_BLOCKS: Blocks = { text: "", tokens: [] };

/** Reads a whole text. */
export function readBlocks(text: string): Blocks {
  return { text, tokens: new Lexer(OPTIONS).lex(text) };
}

/** The number of the blocks that a text which grows cannot change any more: all but the last one that is not blank. */
function settled(tokens: readonly Token[]): number {
  return Math.max(
    0,
    tokens.findLastIndex(({ type }) => type !== "space"),
  );
}

/** A part of a paragraph that goes on in the next block. */
interface ParagraphPart extends Tokens.Paragraph {
  goesOn: true;
}

export function goesOn(token: Token): boolean {
  return "goesOn" in token;
}

/** Reads the end of a text. A long paragraph there is parted, so that what comes next costs its last part alone. */
function readTail(text: string): Token[] {
  const tokens = new Lexer(OPTIONS).lex(text);
  const last = tokens.at(-1);
  const cut = last?.type === "paragraph" && text.endsWith(last.raw) ? cutOf(last.raw) : undefined;
  if (last === undefined || cut === undefined) return tokens;
  const raw = last.raw.slice(0, cut);
  const part: ParagraphPart = {
    type: "paragraph",
    raw,
    text: raw,
    tokens: Lexer.lexInline(raw, OPTIONS),
    goesOn: true,
  };
  return [...tokens.slice(0, -1), part, ...readTail(last.raw.slice(cut))];
}

/**
 * Reads a text that is still being written. Where it only grew, the blocks that are over stay the same objects, and only
 * the last one is read again: a reply of any length costs its last block.
 */
export function readGrowing(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  if (before.text === "" || !text.startsWith(before.text)) return { text, tokens: readTail(text) };
  const kept = before.tokens.slice(0, settled(before.tokens));
  const over = kept.map(({ raw }) => raw).join("");
  // The lexer evens out some blanks; then its blocks do not say where they end.
  if (!text.startsWith(over)) return { text, tokens: readTail(text) };
  return { text, tokens: [...kept, ...readTail(text.slice(over.length))] };
}
