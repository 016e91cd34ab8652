const PAUSE_MS = 200;
const GROWTH = 1.5;
const SHOWN = 32_768;

/** Whether the output of a running call is told again: after a while, or when much has come. */
export function isDue({ length, told, ms }: { length: number; told: number; ms: number }): boolean {
  return length !== told && (told === 0 || ms >= PAUSE_MS || (length < SHOWN && length >= told * GROWTH));
}

/** The end of an output that is still growing. All of it is told when the call is over. */
export function shownTail(output: string): string {
  if (output.length <= SHOWN) return output;
  const start = output.length - SHOWN;
  const line = output.indexOf("\n", start);
  return `…\n${output.slice(line < 0 ? start : line + 1)}`;
}
