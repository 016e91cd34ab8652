const UNITS = [
  { name: "year", ms: 31_557_600_000 },
  { name: "day", ms: 86_400_000 },
  { name: "hour", ms: 3_600_000 },
  { name: "minute", ms: 60_000 },
] as const;

/** A time as people say it, in one unit: `in 2 hours`, `3 days ago`. */
export function fromNow(then: number, now: number): string {
  const away = Math.abs(then - now);
  const unit = UNITS.find(({ ms }) => away >= ms);
  if (!unit) return then <= now ? "just now" : "in less than a minute";
  const count = Math.floor(away / unit.ms);
  const words = `${count} ${unit.name}${count === 1 ? "" : "s"}`;
  return then <= now ? `${words} ago` : `in ${words}`;
}
