const PLACES = /\$(\d+)/g;
const WORDS = /"[^"]*"|'[^']*'|[^\s"']+/g;

/** The text of a command with the words in it. The last numbered place takes all words that are left; a text without a place has them at its end. */
export function filledTemplate(template: string, words: string): string {
  const said = (words.match(WORDS) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
  const last = Math.max(0, ...[...template.matchAll(PLACES)].map(([, place]) => Number(place)));
  const at = (place: number): string => (place === last ? said.slice(place - 1).join(" ") : (said[place - 1] ?? ""));
  const filled = template
    .replace(PLACES, (_, place: string) => at(Number(place)))
    .replaceAll("$ARGUMENTS", () => words);
  return last === 0 && !template.includes("$ARGUMENTS") ? `${template}\n\n${words}` : filled;
}
