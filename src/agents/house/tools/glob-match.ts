import { fitsStars, type SignFits } from "../../../core/stars.ts";

const MAX_ALTERNATIVES = 64;

/** `a.{ts,js}` as `a.ts` and `a.js`. */
function expandBraces(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = /\{([^{}]*)\}/.exec(next);
    if (!found) done.push(next);
    else for (const one of (found[1] ?? "").split(",")) open.push(next.replace(found[0], () => one));
    if (done.length + open.length > MAX_ALTERNATIVES)
      throw new Error(`the pattern has more than ${MAX_ALTERNATIVES} alternatives`);
  }
  return done;
}

const fits: SignFits = (sign, char) => sign === "?" || sign === char;

function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // Which beginnings of the path the pattern has matched so far.
  let reached = new Set([0]);
  for (const segment of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (segment === "**") for (let to = at; to <= path.length; to++) next.add(to);
      else if (at < path.length && fitsStars(segment, path[at] ?? "", fits)) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(path.length);
}

/** A matcher for paths with slashes. A pattern without a slash is meant for the name, wherever the file is. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const patterns = expandBraces(pattern).map((one) => {
    const segments = one.replace(/^\.?\//, "").split("/");
    return segments.length === 1 ? ["**", ...segments] : segments;
  });
  return (path) => {
    const parts = path.split("/");
    return patterns.some((one) => matchesSegments(one, parts));
  };
}
