import type { FilePart, TextPart } from "ai";
import type { PromptPart } from "../../../core/events/values.ts";
import { attachedContent, fileContent, words } from "../../attachments.ts";

type UserPart = TextPart | FilePart;

const MAX_FILE_BYTES = 1_000_000;

function pastPart(part: PromptPart): UserPart {
  return part.type === "text" ? words(part.text) : attachedContent(part);
}

/** Leaves out blank texts. A message of nothing else gets a text, because no provider takes an empty one. */
function withWords(parts: readonly UserPart[]): UserPart[] {
  const said = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return said.length === 0 ? [words("(the user said nothing)")] : said;
}

/** A prompt of the past. Files by path are only named: they may have changed since. */
export function pastParts(parts: readonly PromptPart[]): UserPart[] {
  return withWords(parts.map(pastPart));
}

/** A prompt as a model takes it, with the content of the files it names. */
export async function promptParts(parts: readonly PromptPart[], directory: string): Promise<UserPart[]> {
  const made = parts.map(async (part) =>
    part.type === "file" && part.url === undefined && part.path !== undefined
      ? fileContent(part.path, directory, MAX_FILE_BYTES, "; read what you need of it")
      : pastPart(part),
  );
  return withWords(await Promise.all(made));
}
