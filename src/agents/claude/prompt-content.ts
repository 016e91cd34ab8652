import type { PromptPart } from "../../core/events/values.ts";
import { attachedContent, fileContent, MAX_SHOWN_BYTES, type Shown, words } from "../attachments.ts";
import type { Content } from "./commands.ts";

const SHOWN_NAME = /\.(png|jpe?g|gif|webp|pdf)$/i;

/** Pictures are read here; the program reads every other file itself, when it is mentioned. */
async function shownPart(part: PromptPart, directory: string): Promise<Shown> {
  if (part.type === "text") return words(part.text);
  const { url, path = "" } = part;
  if (url !== undefined) return attachedContent(part);
  if (SHOWN_NAME.test(path)) return fileContent(path, directory, MAX_SHOWN_BYTES, ", too large to be shown");
  return words(`@${/\s/.test(path) ? JSON.stringify(path) : path}`);
}

function contentOf(shown: Shown): Content {
  if (shown.type === "text") return shown;
  const type = shown.mediaType === "application/pdf" ? "document" : "image";
  return { type, source: { type: "base64", media_type: shown.mediaType, data: shown.data } };
}

/** A prompt as the program takes it. Its texts are one, and last: only there does it look for commands and mentions of files. */
export async function promptContent(parts: readonly PromptPart[], directory: string): Promise<Content[]> {
  const made = (await Promise.all(parts.map((part) => shownPart(part, directory)))).map(contentOf);
  const texts = made.flatMap((one) => (one.type === "text" ? [one.text] : []));
  const others = made.filter((one) => one.type !== "text");
  return texts.length > 0 ? [...others, words(texts.join("\n\n"))] : others;
}
