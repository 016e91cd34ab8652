import { usageError } from "../exit.ts";
import { type Input, type Patience, stdinText } from "./stdin.ts";

export type { Input } from "./stdin.ts";

/**
 * The prompt: the words of the command line and, in the next line, the text on stdin. Nobody says whether input beside
 * words is meant, so it is waited for only so long, unless the last word is `-`.
 */
export async function promptText(words: readonly string[], input: Input, patience?: Patience): Promise<string> {
  const wanted = words.at(-1) === "-";
  const given = (wanted ? words.slice(0, -1) : words).join(" ");
  if (!wanted && input.isTTY) return checked(given);
  const piped = await stdinText(input, wanted || given === "" ? undefined : patience);
  if (given === "") return checked(piped ?? "");
  return checked(piped === undefined || piped.trim() === "" ? given : `${given}\n${piped}`);
}

function checked(prompt: string): string {
  if (prompt.trim() === "")
    throw usageError('expected a prompt, got nothing but white space: parley run "…", or pipe one in');
  return prompt;
}
