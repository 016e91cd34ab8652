export type Level = "ok" | "warn" | "bad";

/** The result of one check. */
export interface Check {
  name: string;
  level: Level;
  detail: string;
  /** The step that repairs it. */
  advice?: string;
  /** For programs. */
  facts?: Readonly<Record<string, unknown>>;
}

/** The worst level of all checks. */
export function worst(checks: readonly Check[]): Level {
  return (["bad", "warn"] as const).find((level) => checks.some((check) => check.level === level)) ?? "ok";
}
