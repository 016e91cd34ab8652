/** The name itself where it is free, else the first of `name_2`, `name_3` and so on that is. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  for (let count = 2; ; count++) {
    const other = `${name}_${count}`;
    if (!isTaken(other)) return other;
  }
}
