/** Where the line begins that has a place in it. */
export function lineStart(text: string, place: number): number {
  return place <= 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1;
}
