import { extname } from "node:path";
import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { openInside } from "../house/open-inside.ts";
import type { Content } from "./commands.ts";

type FilePart = Extract<PromptPart, { type: "file" }>;

const MEDIA: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
};
/** The Messages API takes no larger picture. */
const MAX_BYTES = 5_000_000;
const DATA_URL = /^data:([^;,]+)?((?:;[^;,]+)*?)(;base64)?,(.*)$/s;

const text = (value: string): Content => ({ type: "text", text: value });

function binary(mediaType: string, bytes: Buffer): Content {
  const type = mediaType === "application/pdf" ? "document" : "image";
  return { type, source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") } };
}

function isBinary(mediaType: string): boolean {
  return Object.values(MEDIA).includes(mediaType);
}

/** Content that came with the prompt itself. */
function fromUrl(part: FilePart, url: string): Content {
  const [, type = "text/plain", , base64, body = ""] = DATA_URL.exec(url) ?? [];
  const mediaType = part.mime ?? type;
  const bytes = base64 ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
  if (isBinary(mediaType)) return binary(mediaType, bytes);
  const name = part.name ?? part.path ?? "a file";
  if (mediaType.startsWith("text/") || mediaType === "application/json") return text(`${name}:\n${bytes}`);
  return text(`(the user attached ${name}, of type ${mediaType}, which cannot be shown)`);
}

/** Pictures are read here; the program reads every other file itself, when it is mentioned. */
async function fromPath(part: FilePart, path: string, directory: string): Promise<Content> {
  const mediaType = part.mime && isBinary(part.mime) ? part.mime : MEDIA[extname(path).toLowerCase()];
  if (mediaType === undefined) return text(`@${/\s/.test(path) ? JSON.stringify(path) : path}`);
  const handle = await openInside(directory, path, "read");
  if (!handle) return text(`(the user attached ${path}, which does not exist)`);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return text(`(the user attached ${path}: ${size} bytes, too large to be shown)`);
    return binary(mediaType, await handle.readFile());
  } finally {
    await handle.close();
  }
}

async function contentOf(part: PromptPart, directory: string): Promise<Content> {
  if (part.type === "text") return text(part.text);
  if (part.url !== undefined) return fromUrl(part, part.url);
  const path = part.path ?? "";
  return fromPath(part, path, directory).catch((error) => text(`(${path} could not be read: ${messageOf(error)})`));
}

/** A prompt as the program takes it. Its texts are one, and last: only there does it look for commands and mentions of files. */
export async function promptContent(parts: readonly PromptPart[], directory: string): Promise<Content[]> {
  const made = await Promise.all(parts.map((part) => contentOf(part, directory)));
  const texts = made.flatMap((one) => (one.type === "text" ? [one.text] : []));
  const others = made.filter((one) => one.type !== "text");
  return texts.length > 0 ? [...others, text(texts.join("\n\n"))] : others;
}
