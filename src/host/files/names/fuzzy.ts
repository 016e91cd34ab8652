/** How well a query fits a path, or nothing where its letters are not all there in order. Higher is better. */
export function fuzzyScore(query: string, path: string): number | undefined {
  const wanted = query.toLowerCase().replaceAll(/\s/g, "");
  const text = path.toLowerCase();
  const name = text.lastIndexOf("/", text.length - 2) + 1;
  const exact = text.indexOf(wanted, name);
  if (exact >= 0) return 1_000 - (exact - name) - path.length / 100 + (exact === name ? 500 : 0);
  if (text.includes(wanted)) return 500 - path.length / 100;
  const score = scattered(wanted, text);
  return score === undefined ? undefined : Math.min(score, 400) - path.length / 100;
}

/** Runs of letters count more than single ones, and beginnings of words more than their middles. */
function scattered(wanted: string, text: string): number | undefined {
  let score = 0;
  let run = 0;
  let from = 0;
  for (const letter of wanted) {
    const at = text.indexOf(letter, from);
    if (at < 0) return undefined;
    run = at === from && from > 0 ? run + 1 : 0;
    const begins = at === 0 || "/_-. ".includes(text[at - 1] ?? "");
    score += 1 + 2 * run + (begins ? 5 : 0);
    from = at + 1;
  }
  return score;
}

/** The paths that fit best. */
export function bestMatches(query: string, paths: Iterable<string>, limit: number): string[] {
  const scored: { path: string; score: number }[] = [];
  for (const path of paths) {
    const score = fuzzyScore(query, path);
    if (score !== undefined) scored.push({ path, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}
