const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PIECE = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** As a whole; the JSON Schema of the configuration uses it too. */
export const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/** The system's timers count no further than this. */
export const LONGEST_MS = 24 * 86_400_000;

export const DURATION_PHRASE = 'a duration of at most 24 days, such as "30s", "30m" or "1h30m"';

/** `1h30m` in milliseconds; undefined for anything that is no duration or too long for a timer. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let ms = 0;
  for (const [, amount = "0", unit = "ms"] of text.matchAll(PIECE)) ms += Number(amount) * (UNIT_MS[unit] ?? 0);
  return ms <= LONGEST_MS ? Math.round(ms) : undefined;
}
