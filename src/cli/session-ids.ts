import { usageError } from "./exit.ts";

const PREFIX = "ses_";
const SHOWN = 5;

/** The ids that an abbreviation can mean: itself, else those that begin with it, else those that end with it. */
export function matchIds(given: string, ids: readonly string[]): string[] {
  if (ids.includes(given)) return [given];
  const start = given.startsWith(PREFIX) ? given : PREFIX + given;
  const begun = ids.filter((id) => id.startsWith(start));
  return begun.length > 0 ? begun : ids.filter((id) => id.endsWith(given));
}

/** The one id that is meant, or an error that helps to say it better. */
export function pickId(given: string, ids: readonly string[]): string {
  const found = given === "" ? [] : matchIds(given, ids);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined) throw usageError(`no session ${given || '""'}; parley sessions lists them`);
  const some = found.slice(0, SHOWN).join(", ");
  throw usageError(
    `${given} can mean ${found.length} sessions (${some}${found.length > SHOWN ? ", …" : ""}): write more of it`,
  );
}
