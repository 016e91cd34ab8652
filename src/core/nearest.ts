/** How many letters must be changed, added, dropped or swapped with the next one to make one of the other. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swaps ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Of a short word, two changes leave next to nothing. */
function limitOf({ length }: string): number {
  if (length === 0) return -1;
  return length < 5 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** The word that was probably meant, if one is near enough. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const limit = limitOf(word);
  const near = words
    .filter(({ length }) => Math.abs(length - word.length) <= limit)
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far);
  return near[0]?.candidate;
}
