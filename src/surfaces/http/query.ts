/** The name of a query parameter that is there more than once: which one is meant, nobody can tell. */
export function repeatedName(queries: Readonly<Record<string, readonly string[]>>): string | undefined {
  return Object.keys(queries).find((name) => (queries[name]?.length ?? 0) > 1);
}

const MAX_ISSUES = 10;
const MAX_WORDS = 2_000;

/** The first of many mistakes, in a message that is no longer than people read. */
export function firstIssues<T>(issues: readonly T[]): T[] {
  return issues.slice(0, MAX_ISSUES);
}

export function shortWords(text: string): string {
  return text.length > MAX_WORDS
    ? `${text.slice(0, MAX_WORDS)} (… ${text.length - MAX_WORDS} characters left out …)`
    : text;
}
