export interface HereDocument {
  delimiter: string;
  /** Nothing in its text is read by the shell. */
  quoted: boolean;
  /** Tabs at the beginning of its lines are left out. */
  tabs: boolean;
}

const DELIMITER = /'([^'\n]+)'|"([^"\n$`\\]+)"|(\\?)([\w.-]+)/y;

export function hereDelimiter(
  text: string,
  at: number,
): { delimiter: string; quoted: boolean; length: number } | undefined {
  DELIMITER.lastIndex = at;
  const found = DELIMITER.exec(text);
  if (!found) return undefined;
  const [whole, single, double, backslash, bare] = found;
  const delimiter = single ?? double ?? bare ?? "";
  return { delimiter, quoted: bare === undefined || backslash !== "", length: whole.length };
}

interface HereBody {
  begin: number;
  /** Where its text ends. */
  last: number;
  /** Where the line of its delimiter ends. */
  end: number;
  /** Old shells, which look for the end of `$(…)` by counting brackets and quotes, find the same end. */
  plain: boolean;
}

export function hereBody(text: string, begin: number, { delimiter, tabs }: HereDocument): HereBody | undefined {
  for (let at = begin; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    if ((tabs ? line.replace(/^\t+/, "") : line) === delimiter)
      return { begin, last: at, end, plain: isPlain(text.slice(begin, at)) };
    if (newline < 0) return undefined;
    at = newline + 1;
  }
  return undefined;
}

function isPlain(text: string): boolean {
  let open = 0;
  for (const [char] of text.matchAll(/[()'"`\\$#]/g)) {
    if (char === "(") open++;
    else if (char !== ")" || --open < 0) return false;
  }
  return open === 0;
}
