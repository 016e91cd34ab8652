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
  return (["bad", "warn"] as const).find((level) => checks.some((check) => check.level === level)) ?? "ok";
}
