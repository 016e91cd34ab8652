const MARK = "missing: ";

/**
 * The reason for a skip when a program or the network is missing. `npm test` lists these skips at its end, and fails for
 * them where PARLEY_TEST_REQUIRE_REAL is set. A skip for the sake of the platform has any other reason.
 */
export function missing(what: string): string {
  return MARK + what;
}

/** The thing that was missing; undefined for a skip with another reason. */
export function missingThing(reason: string): string | undefined {
  return reason.startsWith(MARK) ? reason.slice(MARK.length) : undefined;
}
