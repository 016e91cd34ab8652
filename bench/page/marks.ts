/** A table of a document that the bench writes: all between two marks, each alone on its line. */
export interface Marked {
  /** The measurements whose figures it shows. */
  names: readonly string[];
  /** The lines of its marks, counted from 0. */
  from: number;
  to: number;
}

const BEGIN = /^<!-- bench: (.+) -->$/;
const END = "<!-- /bench -->";

/** The marked tables of a document. A document whose marks do not fit is an error: nobody knows what may be overwritten. */
export function markedIn(document: string, known: readonly string[]): Marked[] {
  const found: Marked[] = [];
  let open: { names: string[]; from: number } | undefined;
  for (const [at, line] of document.split("\n").entries()) {
    const wrong = (what: string): Error => new Error(`line ${at + 1}: ${what}`);
    const names = BEGIN.exec(line)?.[1]?.trim().split(/\s+/);
    if (names && open)
      throw wrong(`expected ${END} before another table, for the one of line ${open.from + 1} is open`);
    const unknown = names?.find((name) => !known.includes(name));
    if (unknown !== undefined) throw wrong(`there is no measurement ${unknown}`);
    const twice = names?.find((name) => found.some((one) => one.names.includes(name)));
    if (twice !== undefined) throw wrong(`${twice} has a table already`);
    if (names) open = { names, from: at };
    if (line !== END) continue;
    if (!open) throw wrong(`${END} ends no table`);
    found.push({ ...open, to: at });
    open = undefined;
  }
  if (open) throw new Error(`line ${open.from + 1}: expected ${END} after it, got none`);
  return found;
}
