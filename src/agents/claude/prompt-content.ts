import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { openInside } from "../../host/files/open-inside.ts";
import type { Content } from "./commands.ts";

type FilePart = Extract<PromptPart, { type: "file" }>;

/** What the Messages API takes, by how it begins: under a wrong name it would be refused, and with it the conversation. */
const SHOWN: readonly [begins: RegExp, mediaType: string][] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];
const SHOWN_NAME = /\.(png|jpe?g|gif|webp|pdf)$/i;
const MAX_BYTES = 3_500_000;
const DATA_URL = /^data:[^,]*?(;base64)?,(.*)$/s;

const text = (value: string): Content => ({ type: "text", text: value });

function shown(name: string, bytes: Buffer): Content {
  const begin = bytes.toString("latin1", 0, 16);
  const mediaType = SHOWN.find(([begins]) => begins.test(begin))?.[1];
  if (mediaType === undefined && !bytes.includes(0)) return text(`${name}:\n${bytes.toString("utf8")}`);
  if (mediaType === undefined || bytes.length > MAX_BYTES) {
    const why = mediaType === undefined ? "neither text nor a picture that models take" : "too large to be shown";
    return text(`(the user attached ${name}: ${bytes.length} bytes, ${why})`);
  }
  const type = mediaType === "application/pdf" ? "document" : "image";
  return { type, source: { type: "base64", media_type: mediaType, data: bytes.toString("base64") } };
}

/** Content that came with the prompt itself. */
function fromUrl(name: string, url: string): Content {
  const [, base64, body = ""] = DATA_URL.exec(url) ?? [];
  return shown(name, Buffer.from(base64 ? body : decodeURIComponent(body), base64 ? "base64" : "utf8"));
}

/** Pictures are read here; the program reads every other file itself, when it is mentioned. */
async function fromPath(path: string, directory: string): Promise<Content> {
  if (!SHOWN_NAME.test(path)) return text(`@${/\s/.test(path) ? JSON.stringify(path) : path}`);
  const handle = await openInside(directory, path, "read");
  if (!handle) return text(`(the user attached ${path}, which does not exist)`);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return text(`(the user attached ${path}: ${size} bytes, too large to be shown)`);
    return shown(path, await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** It is in the log for good: whatever a client attached must not make the prompt fail. */
async function contentOf(part: PromptPart, directory: string): Promise<Content> {
  if (part.type === "text") return text(part.text);
  const name = nameOf(part);
  try {
    return await (part.url === undefined ? fromPath(part.path ?? "", directory) : fromUrl(name, part.url));
  } catch (error) {
    return text(`(the user attached ${name}, which could not be read: ${messageOf(error)})`);
  }
}

function nameOf({ name, path }: FilePart): string {
  return name ?? path ?? "a file";
}

/** A prompt as the program takes it. Its texts are one, and last: only there does it look for commands and mentions of files. */
export async function promptContent(parts: readonly PromptPart[], directory: string): Promise<Content[]> {
  const made = await Promise.all(parts.map((part) => contentOf(part, directory)));
  const texts = made.flatMap((one) => (one.type === "text" ? [one.text.toWellFormed()] : []));
  const others = made.filter((one) => one.type !== "text");
  return texts.length > 0 ? [...others, text(texts.join("\n\n"))] : others;
}
