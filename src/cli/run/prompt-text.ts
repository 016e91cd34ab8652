import { text } from "node:stream/consumers";
import { usageError } from "../exit.ts";

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean;
}

/** The prompt: the words of the command line, or all of stdin for `-` or nothing. */
export async function promptText(words: readonly string[], input: Input): Promise<string> {
  const given = words.join(" ");
  if (given !== "" && given !== "-") return checked(given);
  if (given === "" && input.isTTY) throw usageError('expected a prompt: parley run "…", or pipe one in');
  return checked(await text(input));
}

function checked(prompt: string): string {
  if (prompt.trim() === "")
    throw usageError('expected a prompt, got nothing but white space: parley run "…", or pipe one in');
  return prompt;
}
