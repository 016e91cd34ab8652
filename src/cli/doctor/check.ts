export type Level = "ok" | "warn" | "bad";

/** One thing that was looked at. */
export interface Check {
  name: string;
  level: Level;
  detail: string;
  /** What to do about it. */
  advice?: string;
  /** For programs. */
  facts?: Readonly<Record<string, unknown>>;
}

export function verdict(checks: readonly Check[]): Level {
  if (checks.some(({ level }) => level === "bad")) return "bad";
  return checks.some(({ level }) => level === "warn") ? "warn" : "ok";
}
