import { Lexer, type Token } from "marked";

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

/**
 * Reads a text that is still being written. Where it only grew, the blocks that are over stay the same objects, and only
 * the last one is read again: a reply of any length costs its last block.
 */
export function readGrowing(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  if (before.text === "" || !text.startsWith(before.text)) return readBlocks(text);
  const kept = before.tokens.slice(0, settled(before.tokens));
  const over = kept.map(({ raw }) => raw).join("");
  // The lexer evens out some blanks; then its blocks do not say where they end.
  if (!text.startsWith(over)) return readBlocks(text);
  return { text, tokens: [...kept, ...new Lexer(OPTIONS).lex(text.slice(over.length))] };
}
