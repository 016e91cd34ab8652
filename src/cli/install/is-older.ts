/** Whether a version such as 22.18.0 comes before another. */
export function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [at, number] of (other ?? []).entries()) {
    const own = mine?.[at] ?? 0;
    if (own !== number) return own < number;
  }
  return false;
}
