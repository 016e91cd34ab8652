import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { openInside } from "../../host/files/open-inside.ts";
import { attachedBytes, attachedName, MAX_SHOWN_BYTES, shownType } from "../attached.ts";
import type { Content } from "./commands.ts";

const SHOWN_NAME = /\.(png|jpe?g|gif|webp|pdf)$/i;

const text = (value: string): Content => ({ type: "text", text: value });

function shown(name: string, bytes: Buffer): Content {
  const mediaType = shownType(bytes);
  if (mediaType === undefined && !bytes.includes(0)) return text(`${name}:\n${bytes.toString("utf8")}`);
  if (mediaType === undefined || bytes.length > MAX_SHOWN_BYTES) {
    const why = mediaType === undefined ? "neither text nor a picture that models take" : "too large to be shown";
    return text(`(the user attached ${name}: ${bytes.length} bytes, ${why})`);
  }
  const type = mediaType === "application/pdf" ? "document" : "image";
  return { type, source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") } };
}

/** Content that came with the prompt itself. */
function fromUrl(name: string, url: string): Content {
  const bytes = attachedBytes(url);
  if (!bytes) return text(`(the user attached ${name} by an address that is no data: URL; it was not read)`);
  return shown(name, bytes);
}

/** Pictures are read here; the program reads every other file itself, when it is mentioned. */
async function fromPath(path: string, directory: string): Promise<Content> {
  if (!SHOWN_NAME.test(path)) return text(`@${/\s/.test(path) ? JSON.stringify(path) : path}`);
  const handle = await openInside(directory, path, "read");
  if (!handle) return text(`(the user attached ${path}, which does not exist)`);
  try {
    const { size } = await handle.stat();
    if (size > MAX_SHOWN_BYTES) return text(`(the user attached ${path}: ${size} bytes, too large to be shown)`);
    return shown(path, await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** It is in the log for good: whatever a client attached must not make the prompt fail. */
async function contentOf(part: PromptPart, directory: string): Promise<Content> {
  if (part.type === "text") return text(part.text);
  const name = attachedName(part);
  try {
    return await (part.url === undefined ? fromPath(part.path ?? "", directory) : fromUrl(name, part.url));
  } catch (error) {
    return text(`(the user attached ${name}, which could not be read: ${messageOf(error)})`);
  }
}

/** A prompt as the program takes it. Its texts are one, and last: only there does it look for commands and mentions of files. */
export async function promptContent(parts: readonly PromptPart[], directory: string): Promise<Content[]> {
  const made = await Promise.all(parts.map((part) => contentOf(part, directory)));
  const texts = made.flatMap((one) => (one.type === "text" ? [one.text.toWellFormed()] : []));
  const others = made.filter((one) => one.type !== "text");
  return texts.length > 0 ? [...others, text(texts.join("\n\n"))] : others;
}
