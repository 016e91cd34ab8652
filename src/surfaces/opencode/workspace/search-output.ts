import { jsonIn, objectAs } from "../../../core/json/fields.ts";

/** A line that matched, as ripgrep tells of one. Offsets are bytes. */
export interface TextMatch {
  path: { text: string };
  lines: { text: string };
  line_number: number;
  absolute_offset: number;
  submatches: { match: { text: string }; start: number; end: number }[];
}

/** A line of a minified file is not worth a megabyte. */
const MAX_LINE = 2_000;

const ESCAPE = String.fromCharCode(27);
/** A colour or its end as git writes it; its versions differ in the numbers. */
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;]*m`);

function shortened({ lines, submatches, ...rest }: TextMatch): TextMatch {
  const text = lines.text.slice(0, MAX_LINE);
  const bytes = Buffer.byteLength(text);
  return { ...rest, lines: { text }, submatches: submatches.filter(({ end }) => end <= bytes) };
}

interface RipgrepLine {
  type: string;
  data: {
    path: { text?: string };
    lines: { text?: string };
    line_number: number;
    absolute_offset: number;
    submatches: { match: { text?: string }; start: number; end: number }[];
  };
}

/** `rg --json`. What is no UTF-8 is left out: it could not be named. */
export function matchesOfRipgrep(output: string, limit: number): TextMatch[] {
  const matches: TextMatch[] = [];
  for (const line of output.split("\n")) {
    if (matches.length >= limit) break;
    // The last line may be cut off, where the program was ended.
    const { type, data } = objectAs<RipgrepLine>(jsonIn(line)) ?? {};
    if (type !== "match" || data?.path.text === undefined || data.lines.text === undefined) continue;
    const submatches = data.submatches.map(({ match, ...place }) => ({ match: { text: match.text ?? "" }, ...place }));
    const { line_number, absolute_offset } = data;
    const path = { text: data.path.text.replace(/^\.\//, "") };
    matches.push(shortened({ path, lines: { text: data.lines.text }, line_number, absolute_offset, submatches }));
  }
  return matches;
}

/** `git grep -z -n --color`: a path, a number and a line whose matches are coloured. Where in the file it is, it does not say. */
export function matchesOfColoured(output: string, limit: number): TextMatch[] {
  const matches: TextMatch[] = [];
  for (const line of output.split("\n")) {
    if (matches.length >= limit) break;
    const [path, number, ...rest] = line.split("\0");
    if (path === undefined || !/^\d+$/.test(number ?? "")) continue;
    // Every second piece stands between a colour and its end.
    const pieces = rest.join("\0").split(COLOUR);
    const submatches: TextMatch["submatches"] = [];
    let at = 0;
    pieces.forEach((piece, index) => {
      const end = at + Buffer.byteLength(piece);
      if (index % 2 === 1) submatches.push({ match: { text: piece }, start: at, end });
      at = end;
    });
    const found = { path: { text: path }, lines: { text: `${pieces.join("")}\n` }, line_number: Number(number) };
    matches.push(shortened({ ...found, absolute_offset: 0, submatches }));
  }
  return matches;
}
