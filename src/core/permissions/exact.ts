/** In what is granted `*` stands for anything, so a star that is meant as such must not become one; `…` once did, too. */
export function exact(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("*", "%2A").replaceAll("…", "%E2%80%A6");
}

/** The patterns of a grant, for people: a line that is granted as it is written is not written twice. */
export function shownPatterns(patterns: readonly string[], command: string | undefined): string[] {
  const same = command === undefined ? undefined : exact(command);
  return patterns.map((pattern) => (pattern === same ? "exactly this command" : pattern));
}
