/** Puts an entry at the end of a map, which forgets its first entry when it has more than so many. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}

/** A copy of a map with one entry changed, or taken out when the value is undefined. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): ReadonlyMap<K, V> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}

/** A list that begins with the entry of this id, where there is one. */
export function firstBy<T extends { id: string }>(list: readonly T[], first: unknown): T[] {
  return [...list.filter(({ id }) => id === first), ...list.filter(({ id }) => id !== first)];
}
