import { missingThing } from "../../test/support/missing.ts";
import type { FileTime, Skip, TestTime } from "./run-files.ts";

const SLOWEST = 10;

function grouped(skips: readonly Skip[]): Map<string, Skip[]> {
  return Map.groupBy(skips, ({ reason }) => missingThing(reason) ?? reason);
}

/** A line for each missing program, with the number of tests that were skipped because of it. */
export function notTested(skips: readonly Skip[]): string[] {
  const missing = skips.filter(({ reason }) => missingThing(reason) !== undefined);
  return [...grouped(missing)].map(([thing, tests]) => {
    const files = [...new Set(tests.map(({ file }) => file))];
    return `SKIPPED: ${thing} (${tests.length} tests or groups of tests in ${files.join(", ")})`;
  });
}

const HARD = /: npm run test:hard$/;

/** A line for each test that this platform does not have, and one for those of each reason to leave them to `npm run test:hard`. */
export function leftOut(skips: readonly Skip[]): string[] {
  const here = skips.filter(({ reason }) => missingThing(reason) === undefined);
  const lines = here
    .filter(({ reason }) => !HARD.test(reason))
    .map(({ file, name, reason }) => `${file}: ${name}${reason === "" ? "" : ` (${reason})`}`);
  const left = grouped(here.filter(({ reason }) => HARD.test(reason)));
  return [...lines, ...[...left].map(([reason, tests]) => `${tests.length} tests or groups of tests (${reason})`)];
}

/** The slowest files or tests, the slowest first. */
export function slowest(times: readonly (FileTime | TestTime)[], count = SLOWEST): string[] {
  return times
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map((one) => {
      const seconds = (one.ms / 1000).toFixed(1).padStart(6);
      return `${seconds} s  ${one.file}${"name" in one ? `: ${one.name}` : ""}`;
    });
}
