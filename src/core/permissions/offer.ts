import type { CommandPart } from "./command-part.ts";
import { exact } from "./exact.ts";
import { familyOf } from "./families.ts";
import { HOLE } from "./glob.ts";
import { grantsCommand, writePattern } from "./grants.ts";
import { type Part, partsOf } from "./parts.ts";

/** The most patterns of one grant: nobody reads more before granting them. */
const MOST = 8;

function commandOffer(part: CommandPart): string | undefined {
  const family = familyOf(part.words.map(({ value }) => value));
  const pattern = family && `${family} *`;
  if (pattern && grantsCommand(pattern, part)) return pattern;
  return part.text.includes(HOLE) ? undefined : exact(part.text);
}

function partOffer(part: Part): string | undefined {
  if (part.kind === "command") return commandOffer(part);
  return part.paths[0].includes(HOLE) ? undefined : writePattern(part);
}

/**
 * The patterns that an "always" for a line of shell would allow, one for each of its parts: the family of a command that has one
 * (`git status *`), else the command itself. A line that cannot be taken apart for certain is granted as it is written.
 */
export function offeredPatterns(line: string, directory: string): string[] {
  const { parts, doubt } = partsOf(line, directory);
  const own = parts.filter((part) => part.kind === "write" || (part.kind === "command" && !part.told));
  const offers = new Set(own.map(partOffer));
  if (doubt !== undefined || offers.size === 0 || offers.size > MOST) return [exact(line)];
  const patterns = [...offers].filter((offer) => offer !== undefined);
  return patterns.length === offers.size ? patterns : [exact(line)];
}
