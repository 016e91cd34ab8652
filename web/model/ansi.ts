/** A piece of a program's output with one look. */
export interface Styled {
  text: string;
  /** Names of classes: a colour, bold, and the like. */
  look: readonly string[];
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

interface Look {
  colour?: string;
  ground?: string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
}

function classesOf({ colour, ground, ...flags }: Look): string[] {
  const on = Object.entries(flags).flatMap(([name, set]) => (set ? [`ansi-${name}`] : []));
  return [...(colour ? [`ansi-${colour}`] : []), ...(ground ? [`ansi-on-${ground}`] : []), ...on];
}

/** One of the 16 colours that is near to one of the 256. */
function near256(value: number): string | undefined {
  if (value < 16) return COLOURS[value % 8];
  if (value >= 232) return value < 244 ? "black" : "white";
  const levels = [Math.floor((value - 16) / 36), Math.floor((value - 16) / 6) % 6, (value - 16) % 6];
  return nearRgb(levels.map((level) => level * 51));
}

function nearRgb(rgb: readonly number[]): string | undefined {
  const most = Math.max(...rgb);
  const bits = rgb.reduce((sum, value, index) => sum + (value > most / 2 && most > 60 ? 1 << index : 0), 0);
  return COLOURS[bits];
}

/** Reads a colour of more than 16 behind 38 or 48; returns how many numbers it took. */
function extended(codes: readonly number[], at: number): { colour: string | undefined; took: number } {
  if (codes[at + 1] === 5) return { colour: near256(codes[at + 2] ?? 0), took: 2 };
  if (codes[at + 1] === 2) return { colour: nearRgb(codes.slice(at + 2, at + 5)), took: 4 };
  return { colour: undefined, took: 0 };
}

const SET: Readonly<Record<number, Look>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  29: { strike: false },
  39: { colour: undefined },
  49: { ground: undefined },
};

function applied(before: Look, codes: readonly number[]): Look {
  let look = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) look = {};
    else if (code === 38 || code === 48) {
      const { colour, took } = extended(codes, at);
      look = { ...look, [code === 38 ? "colour" : "ground"]: colour };
      at += took;
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) look = { ...look, colour: COLOURS[code % 10] };
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) look = { ...look, ground: COLOURS[code % 10] };
    else look = { ...look, ...SET[code] };
  }
  return look;
}

// Colours; other sequences of a terminal, such as moves of the cursor and titles; and control characters.
const SEQUENCE = new RegExp(
  [
    "\\x1b\\[([\\d;:]*)m",
    "\\x1b\\[[\\d;:?<=>]*[ -/]*[@-~]",
    "\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?",
    "\\x1b[PX^_][^\\x1b]*(?:\\x1b\\\\)?",
    "\\x1b[ -/]*[0-~]?",
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]",
  ].join("|"),
  "g",
);

/** A line that was written over by carriage returns is what was written last. */
function withoutOverwritten(text: string): string {
  return text.includes("\r")
    ? text
        .replace(/\r+\n/g, "\n")
        .replace(/[^\n]*\r(?=[^\n])/g, "")
        .replace(/\r/g, "")
    : text;
}

/** The output of a program in pieces: its colours kept, everything else that is meant for a terminal left out. */
export function parseAnsi(text: string): Styled[] {
  const pieces: Styled[] = [];
  let look: Look = {};
  let at = 0;
  const add = (to: number): void => {
    const piece = withoutOverwritten(text.slice(at, to));
    if (piece !== "") pieces.push({ text: piece, look: classesOf(look) });
  };
  for (const found of text.matchAll(SEQUENCE)) {
    add(found.index);
    at = found.index + found[0].length;
    if (found[1] !== undefined) look = applied(look, found[1].split(/[;:]/).map(Number));
  }
  add(text.length);
  return pieces;
}
