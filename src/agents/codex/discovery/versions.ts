/** The oldest version that was tried and does all but hold to rules: the table is in docs/agents/codex.md. */
const OLDEST = "0.162.0";

function parts(version: string): number[] {
  return version.split("-", 1)[0]?.split(".").map(Number) ?? [];
}

function isBefore(version: string, than: string): boolean {
  const [a, b] = [parts(version), parts(than)];
  const at = b.findIndex((part, index) => (a[index] ?? 0) !== part);
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0);
}

/** Whether a program is too old to be driven. One whose version is not known is tried. */
export function isTooOld(version: string | undefined): boolean {
  return version !== undefined && isBefore(version, OLDEST);
}

export const UPDATE = 'run "parley install codex", or update it';

export function tooOld(version: string | undefined): string {
  return `version ${version ?? "?"} is too old, Parley needs ${OLDEST} or newer: ${UPDATE}`;
}
