import type { FilePart, TextPart } from "ai";
import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import { openInside } from "../../host/files/open-inside.ts";

type UserPart = TextPart | FilePart;
type FilePrompt = Extract<PromptPart, { type: "file" }>;

const MAX_FILE_BYTES = 1_000_000;
/** Providers refuse larger ones, and with them the conversation. */
const MAX_IMAGE_BYTES = 3_500_000;
const DATA_URL = /^data:([^;,]+)?((?:;[^;,]+)*?)(;base64)?,(.*)$/s;

/** What each format of the providers takes, by how it begins: a name or a type that is wrong would be refused. */
const SHOWN: readonly [begins: RegExp, mediaType: string][] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

const text = (value: string): TextPart => ({ type: "text", text: value.toWellFormed() });

function nameOf({ name, path }: FilePrompt): string {
  return name ?? path ?? "a file";
}

/** A picture or document as such, a text as its words; anything else is only named. */
function shown(name: string, bytes: Buffer): UserPart {
  const begin = bytes.toString("latin1", 0, 16);
  const mediaType = SHOWN.find(([begins]) => begins.test(begin))?.[1];
  if (mediaType === undefined && !bytes.includes(0)) return text(`${name}:\n${bytes.toString("utf8")}`);
  if (mediaType !== undefined && bytes.length <= MAX_IMAGE_BYTES)
    return { type: "file", data: bytes.toString("base64"), mediaType };
  const why = mediaType === undefined ? "neither text nor a kind of picture that models take" : "too large to be shown";
  return text(`(the user attached ${name}: ${bytes.length} bytes, ${why})`);
}

/** Content that came with the prompt itself. It is in the log for good, so whatever it is, it must not throw. */
function fromUrl(part: FilePrompt, url: string): UserPart {
  const found = DATA_URL.exec(url);
  if (!found) return text(`(the user attached ${nameOf(part)} by an address that is no data: URL; it was not read)`);
  const [, , , base64, body = ""] = found;
  return shown(nameOf(part), base64 ? Buffer.from(body, "base64") : unescaped(body));
}

/** Escapes as bytes; what is none stays as it is. */
function unescaped(body: string): Buffer {
  return Buffer.concat(
    body
      .split(/((?:%[\da-f]{2})+)/i)
      .map((piece, at) => (at % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.replaceAll("%", ""), "hex"))),
  );
}

/** A prompt of the past. Files by path are only named: they may have changed since. */
export function pastParts(parts: readonly PromptPart[]): UserPart[] {
  return withWords(parts.map(pastPart));
}

function pastPart(part: PromptPart): UserPart {
  if (part.type === "text") return text(part.text);
  return part.url === undefined ? text(`(the user attached ${nameOf(part)})`) : fromUrl(part, part.url);
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
