import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PromptPart } from "../../core/events/values.ts";
import type { Fields } from "../../core/json/fields.ts";
import { attachedContent, fileContent, MAX_SHOWN_BYTES, type Shown, words } from "../attachments.ts";
import type { Peer } from "./handshake.ts";

type Takes = Pick<Peer, "takesImages" | "takesResources">;

const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

function blockOf(shown: Shown, name: string, takes: Takes): Fields {
  if (shown.type === "text") return { type: "text", text: shown.text };
  const { mediaType: mimeType, data } = shown;
  if (mimeType.startsWith("image/") && takes.takesImages) return { type: "image", mimeType, data };
  if (takes.takesResources) {
    const uri = `attachment:///${encodeURIComponent(name)}`;
    return { type: "resource", resource: { uri, mimeType, blob: data } };
  }
  return words(`(the user attached ${name} of the type ${mimeType}, which this agent does not take)`);
}

/** Pictures are read here; every other file is named, and the program reads it itself. */
async function partBlock(part: PromptPart, directory: string, takes: Takes): Promise<Fields> {
  if (part.type === "text") return words(part.text);
  const { url, path, name = path ? basename(path) : "a file" } = part;
  if (url !== undefined) return blockOf(attachedContent(part), name, takes);
  if (path === undefined) return words(`(the user attached ${name})`);
  if (PICTURE.test(path) && takes.takesImages)
    return blockOf(await fileContent(path, directory, MAX_SHOWN_BYTES, ", too large to be shown"), name, takes);
  return { type: "resource_link", uri: pathToFileURL(resolve(directory, path)).href, name };
}

/** A prompt as the program takes it. */
export function promptContent(parts: readonly PromptPart[], directory: string, takes: Takes): Promise<Fields[]> {
  return Promise.all(parts.map((part) => partBlock(part, directory, takes)));
}
