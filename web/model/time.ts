const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in the two largest units that matter: 850 ms, 12 s, 3 min 5 s, 2 h 4 min. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  const [large, small, names] = ms < HOUR ? [MINUTE, SECOND, ["min", "s"]] : [HOUR, MINUTE, ["h", "min"]];
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${names[0]}${rest > 0 ? ` ${rest} ${names[1]}` : ""}`;
}

/** How long ago, for a list: now, 5 min, 3 h, 2 d; a date when it is older than a week. */
export function ago(time: number, now: number): string {
  const ms = now - time;
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 7 * DAY) return `${Math.floor(ms / DAY)} d`;
  return new Date(time).toISOString().slice(0, 10);
}
