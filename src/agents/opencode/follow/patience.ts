/** How long a turn may be unfinished although the program says that it does not work on it. */
const UNFINISHED_MS = 5_000;
/** How long a turn that was stopped may not be begun at all. */
const STOPPED_MS = 1_000;
/** How long its answer may be unfinished: the program writes the last words after it has said that it works no more. */
const STOPPED_ANSWER_MS = 2_500;
/** How long a turn of which nothing but an error was told may still begin: the program does not say that it has refused it. */
const REFUSED_MS = 2_000;
/** How long the program may take to begin a turn that it has accepted. */
const UNBEGUN_MS = 20_000;

/** A turn that the program does not work on, and that is not over. All times are in milliseconds of one clock. */
export interface Unfinished {
  now: number;
  /** Since when the program is known not to work on it. */
  since: number;
  /** When the prompt was given, when something was last told of the session, and when the turn was stopped. */
  given: number;
  lastEvent: number;
  stopped?: number | undefined;
  hasAnswer: boolean;
  hasFailed: boolean;
}

/** Whether nothing more is to be expected of a turn. */
export function isOverdue({ now, since, given, lastEvent, stopped, hasAnswer, hasFailed }: Unfinished): boolean {
  if (stopped !== undefined) return now - Math.max(since, stopped) > (hasAnswer ? STOPPED_ANSWER_MS : STOPPED_MS);
  // It may have begun after the program was asked whether it works.
  const quiet = now - Math.max(since, lastEvent);
  if (hasAnswer) return quiet > UNFINISHED_MS;
  if (hasFailed) return quiet > REFUSED_MS;
  return now - since > UNFINISHED_MS && now - given > UNBEGUN_MS;
}
