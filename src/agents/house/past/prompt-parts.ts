import type { FilePart, TextPart } from "ai";
import { messageOf } from "../../../core/errors.ts";
import type { PromptPart } from "../../../core/events/values.ts";
import { openInside } from "../../../host/files/open-inside.ts";
import { attachedBytes, attachedName, MAX_SHOWN_BYTES, shownType } from "../../attached.ts";

type UserPart = TextPart | FilePart;
type FilePrompt = Extract<PromptPart, { type: "file" }>;

const MAX_FILE_BYTES = 1_000_000;

const text = (value: string): TextPart => ({ type: "text", text: value.toWellFormed() });

/** A picture or document as such, a text as its words; anything else is only named. */
function shown(name: string, bytes: Buffer): UserPart {
  const mediaType = shownType(bytes);
  if (mediaType === undefined && !bytes.includes(0)) return text(`${name}:\n${bytes.toString("utf8")}`);
  if (mediaType !== undefined && bytes.length <= MAX_SHOWN_BYTES)
    return { type: "file", data: bytes.toString("base64"), mediaType };
  const why = mediaType === undefined ? "neither text nor a kind of picture that models take" : "too large to be shown";
  return text(`(the user attached ${name}: ${bytes.length} bytes, ${why})`);
}

/** Content that came with the prompt itself. */
function fromUrl(part: FilePrompt, url: string): UserPart {
  const name = attachedName(part);
  const bytes = attachedBytes(url);
  if (!bytes) return text(`(the user attached ${name} by an address that is no data: URL; it was not read)`);
  return shown(name, bytes);
}

/** A prompt of the past. Files by path are only named: they may have changed since. */
export function pastParts(parts: readonly PromptPart[]): UserPart[] {
  return withWords(parts.map(pastPart));
}

function pastPart(part: PromptPart): UserPart {
  if (part.type === "text") return text(part.text);
  return part.url === undefined ? text(`(the user attached ${attachedName(part)})`) : fromUrl(part, part.url);
}

/** No provider takes a message of nothing. */
function withWords(parts: readonly UserPart[]): UserPart[] {
  const said = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return said.length === 0 ? [text("(the user said nothing)")] : said;
}

async function fromPath(path: string, directory: string): Promise<UserPart> {
  const handle = await openInside(directory, path, "read");
  if (!handle) return text(`(the user attached ${path}, which does not exist)`);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) return text(`(the user attached ${path}: ${size} bytes; read what you need of it)`);
    return shown(path, await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** A prompt as a model takes it, with the content of the files it names. */
export async function promptParts(parts: readonly PromptPart[], directory: string): Promise<UserPart[]> {
  const made = parts.map(async (part) => {
    if (part.type === "file" && part.url === undefined && part.path !== undefined) {
      const { path } = part;
      return fromPath(path, directory).catch((error) => text(`(${path} could not be read: ${messageOf(error)})`));
    }
    return pastPart(part);
  });
  return withWords(await Promise.all(made));
}
