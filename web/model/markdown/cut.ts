/** A paragraph that is being written is cut when it is so long. It is read, laid out and painted again for each piece. */
const LONG = 1_500;
/** One that has no good place for a cut is cut anywhere when it is so long. */
const TOO_LONG = 4 * LONG;

/** Whether a line that begins here cannot be taken for a list, a heading or another block. */
const BEGINS_WORDS = /^\p{L}/u;

/** What is open at a place of a paragraph: a cut there would tear it. */
class Marks {
  readonly #open = { "`": false, "*": false, "~": false };
  #brackets = 0;
  #last = "";

  see(char: string): void {
    // Marks of several characters count as one.
    const goesOn = char === this.#last;
    this.#last = char;
    if (goesOn && char !== "[" && char !== "]") return;
    if (char === "`" || char === "*" || char === "~") this.#open[char] = !this.#open[char];
    else if (char === "[") this.#brackets++;
    else if (char === "]") this.#brackets--;
  }

  get none(): boolean {
    return this.#brackets === 0 && !this.#open["`"] && !this.#open["*"] && !this.#open["~"];
  }
}

/** Where a long paragraph can be cut while it grows: before a word, outside of marks. Undefined for one that is short. */
export function cutOf(text: string): number | undefined {
  if (text.length <= LONG) return undefined;
  const marks = new Marks();
  let cut: number | undefined;
  for (let at = 0; at < LONG; at++) {
    if (marks.none && /\s/.test(text[at - 1] ?? "") && BEGINS_WORDS.test(text.slice(at, at + 2))) cut = at;
    marks.see(text[at] ?? "");
  }
  if (cut !== undefined || text.length <= TOO_LONG) return cut;
  const blank = text.slice(0, LONG).search(/\s\S*$/u) + 1;
  const anywhere = blank > LONG / 2 ? blank : LONG;
  // Both halves of a character stay together.
  return (text.codePointAt(anywhere - 1) ?? 0) > 0xffff ? anywhere - 1 : anywhere;
}
