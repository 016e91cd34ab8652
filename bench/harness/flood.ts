import { createHash } from "node:crypto";
import type { Reading } from "./reader.ts";

/** A turn of many pieces of text. They are spread over items, because an item holds a bounded text. */
export interface Flood {
  items: number;
  /** Pieces of each item. */
  pieces: number;
}

/** The prompt that makes the scripted agent say all of it in one turn. */
export function floodPrompt({ items, pieces }: Flood): string {
  return Array.from({ length: items }, () => `[[flood ${pieces}]]`).join(" ");
}

/** The text of one item, as the scripted agent says it. */
export function floodText({ pieces }: Flood): string {
  return Array.from({ length: pieces }, (_, at) => `word ${at + 1} `).join("");
}

/** The reasons why a flood failed, however fast it was. None for a flood that arrived whole. */
export function floodFaults({ lost, deltas, folded, broken, texts }: Reading, flood: Flood): string[] {
  const count = flood.items * flood.pieces;
  const sha256 = createHash("sha256").update(floodText(flood)).digest("hex");
  const found: string[] = [];
  if (lost > 0) found.push(`${lost} lost`);
  if (deltas + folded !== count) found.push(`${deltas} pieces and ${folded} folded instead of ${count}`);
  if (broken > 0) found.push("the stream broke");
  if (texts.length !== flood.items) found.push(`${texts.length} texts instead of ${flood.items}`);
  if (texts.some((text) => !text.piecesAgree || text.sha256 !== sha256)) found.push("the text differs");
  return found;
}
