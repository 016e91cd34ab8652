const ARGUMENT = /"([^"]*)"|'([^']*)'|[^\s"']+/g;
const SHELL = /!`([^`]+)`/g;
const PLACE = /\$(\d+|ARGUMENTS\b)/g;

/** The shell commands in a text, which their outputs replace. */
export function shellsIn(text: string): string[] {
  return [...text.matchAll(SHELL)].map((match) => match[1] ?? "");
}

/** The text with the outputs in place of its shell commands, in their order. */
export function withShells(text: string, outputs: readonly string[]): string {
  let at = 0;
  return text.replaceAll(SHELL, () => outputs[at++] ?? "");
}

/** Splits a text into words. Words in quotes stay together. */
export function splitArguments(text: string): string[] {
  return [...text.matchAll(ARGUMENT)].map((match) => match[1] ?? match[2] ?? match[0]);
}

function numbersIn(template: string): number[] {
  return [...template.matchAll(PLACE)].map((match) => Number(match[1])).filter((number) => !Number.isNaN(number));
}

/** The places that a template has for arguments, as clients show them. */
export function hintsOf(template: string): string[] {
  const numbers = [...new Set(numbersIn(template))].sort((a, b) => a - b).map((number) => `$${number}`);
  return /\$ARGUMENTS\b/.test(template) ? [...numbers, "$ARGUMENTS"] : numbers;
}

/**
 * A template with what the user added: all of it for `$ARGUMENTS`, one word each for `$1`, `$2` and so on, where the last
 * takes all that is left. A template without any place gets it at its end.
 */
export function fill(template: string, added: string): string {
  const words = splitArguments(added);
  const last = Math.max(0, ...numbersIn(template));
  const filled = template.replaceAll(PLACE, (_, place: string) => {
    if (place === "ARGUMENTS") return added;
    const at = Number(place);
    return at === last ? words.slice(Math.max(0, at - 1)).join(" ") : (words[at - 1] ?? "");
  });
  const rest = hintsOf(template).length === 0 && added.trim() !== "" ? `\n\n${added.trim()}` : "";
  return `${filled}${rest}`.trim();
}
