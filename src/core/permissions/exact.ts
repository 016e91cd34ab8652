/** A text as a pattern that fits only this text: its `*` is escaped, and `…`, which once stood for anything, too. */
export function exact(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("*", "%2A").replaceAll("…", "%E2%80%A6");
}

/** The patterns of a grant, for people. A pattern that is just the command is not written out again. */
export function shownPatterns(patterns: readonly string[], command: string | undefined): string[] {
  const same = command === undefined ? undefined : exact(command);
  return patterns.map((pattern) => (pattern === same ? "exactly this command" : pattern));
}
