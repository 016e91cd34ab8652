const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Characters that terminals show in two cells: of East Asia, and pictures. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const NO_CELL = /^[\p{M}\p{Cf}]+$/u;

function cells(letter: string): number {
  if (letter.length === 1 && letter < "\u0300") return 1;
  return NO_CELL.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
}

/** How many cells of a terminal a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of letters.segment(text)) width += cells(segment);
  return width;
}

/** The text in so many cells: without its end or its beginning, and with … there. */
export function fitted(text: string, width: number, without: "end" | "start" = "end"): string {
  if (widthOf(text) <= width) return text;
  const all = [...letters.segment(text)].map(({ segment }) => segment);
  if (without === "start") all.reverse();
  const kept: string[] = [];
  let left = width - 1;
  for (const letter of all) {
    left -= cells(letter);
    if (left < 0) break;
    kept.push(letter);
  }
  return without === "start" ? `…${kept.reverse().join("")}` : `${kept.join("")}…`;
}
