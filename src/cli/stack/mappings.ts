/** A source map, as far as it is read here. */
export interface SourceMap {
  sources: readonly string[];
  mappings: string;
}

/** A place in a file; lines and columns count from 1, as stacks have them. */
export interface Place {
  line: number;
  column: number;
}

const DIGITS = new Map(
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((one, at) => [one, at]),
);

/** The numbers of one segment: five bits a digit, the lowest first, and the lowest of all is the sign. */
function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = DIGITS.get(letter) ?? 0;
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit & 32) continue;
    const size = Math.floor(value / 2);
    numbers.push(value % 2 === 1 ? -size : size);
    value = 0;
    shift = 0;
  }
  return numbers;
}

/**
 * The place in a source from which a place in the bundle was made. The map is read up to there and nothing of it is
 * kept: read whole, it would take more memory than the server.
 */
export function originOf({ sources, mappings }: SourceMap, at: Place): (Place & { source: string }) | undefined {
  let [source, line, column] = [0, 0, 0];
  for (const [number, text] of mappings.split(";").slice(0, at.line).entries()) {
    let generated = 0;
    let found: (Place & { source: string }) | undefined;
    for (const segment of text.split(",")) {
      const [step = 0, sourceStep = 0, lineStep = 0, columnStep = 0] = numbersIn(segment);
      generated += step;
      if (number === at.line - 1 && generated > at.column - 1) return found;
      source += sourceStep;
      line += lineStep;
      column += columnStep;
      found = { source: sources[source] ?? "", line: line + 1, column: column + 1 };
    }
    if (number === at.line - 1) return found;
  }
  return undefined;
}
