import type { PromptPart } from "../../core/events/values.ts";
import type { Fields } from "../../core/json/fields.ts";
import { attachedContent, fileContent, MAX_SHOWN_BYTES, type Shown, words } from "../attachments.ts";

const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

/** Pictures are read here; every other file is named, and the program reads it itself. */
async function shownPart(part: PromptPart, directory: string): Promise<Shown> {
  if (part.type === "text") return words(part.text);
  const { url, path = "" } = part;
  if (url !== undefined) return attachedContent(part);
  if (PICTURE.test(path)) return fileContent(path, directory, MAX_SHOWN_BYTES, ", too large to be shown");
  return words(`@${/\s/.test(path) ? JSON.stringify(path) : path}`);
}

function inputOf(shown: Shown): Fields {
  if (shown.type === "text") return { type: "text", text: shown.text, text_elements: [] };
  if (shown.mediaType.startsWith("image/"))
    return { type: "image", url: `data:${shown.mediaType};base64,${shown.data}` };
  const text = `(the user attached a document of the type ${shown.mediaType}, which Codex does not take)`;
  return { type: "text", text, text_elements: [] };
}

/** A prompt as the program takes it. */
export async function promptInput(parts: readonly PromptPart[], directory: string): Promise<Fields[]> {
  const made = await Promise.all(parts.map((part) => shownPart(part, directory)));
  return made.map(inputOf);
}
