import { extname } from "node:path";
import type { FilePart, TextPart } from "ai";
import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { openInside } from "../../host/files/open-inside.ts";

type UserPart = TextPart | FilePart;
type FilePrompt = Extract<PromptPart, { type: "file" }>;

const MAX_FILE_BYTES = 1_000_000;
const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const DATA_URL = /^data:([^;,]+)?((?:;[^;,]+)*?)(;base64)?,(.*)$/s;

const text = (value: string): TextPart => ({ type: "text", text: value });

function nameOf({ name, path }: FilePrompt): string {
  return name ?? path ?? "a file";
}

/** Content that came with the prompt itself. */
function fromUrl(part: FilePrompt, url: string): UserPart {
  const [, type = "text/plain", , base64, body = ""] = DATA_URL.exec(url) ?? [];
  const mediaType = part.mime ?? type;
  const bytes = base64 ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
  if (mediaType.startsWith("text/")) return text(`${nameOf(part)}:\n${bytes.toString("utf8")}`);
  return { type: "file", data: bytes.toString("base64"), mediaType };
}

/** A prompt of the past. Files by path are only named: they may have changed since. */
export function pastParts(parts: readonly PromptPart[]): UserPart[] {
  return parts.map((part) => {
    if (part.type === "text") return text(part.text);
    return part.url === undefined ? text(`(the user attached ${nameOf(part)})`) : fromUrl(part, part.url);
  });
}

async function fromPath(part: FilePrompt, path: string, directory: string): Promise<UserPart> {
  const handle = await openInside(directory, path, "read");
  if (!handle) return text(`(the user attached ${path}, which does not exist)`);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) return text(`(the user attached ${path}: ${size} bytes; read what you need of it)`);
    const bytes = await handle.readFile();
    const image = part.mime?.startsWith("image/") ? part.mime : IMAGES[extname(path).toLowerCase()];
    if (image) return { type: "file", data: bytes.toString("base64"), mediaType: image };
    return text(`${path}:\n${bytes.toString("utf8")}`);
  } finally {
    await handle.close();
  }
}

/** A prompt as a model takes it, with the content of the files it names. */
export async function promptParts(parts: readonly PromptPart[], directory: string): Promise<UserPart[]> {
  const made = parts.map(async (part) => {
    if (part.type === "file" && part.url === undefined && part.path !== undefined) {
      const { path } = part;
      return fromPath(part, path, directory).catch((error) => text(`(${path} could not be read: ${messageOf(error)})`));
    }
    return pastParts([part])[0] ?? text("");
  });
  return Promise.all(made);
}
