import { messageOf } from "../core/errors.ts";
import type { PromptPart } from "../core/events/values.ts";
import { openInside } from "../host/files/open-inside.ts";

type FilePart = Extract<PromptPart, { type: "file" }>;

/** An attachment as an agent is given it: words, or a picture or document in base64. */
export type Shown = { type: "text"; text: string } | { type: "file"; mediaType: string; data: string };

/** Providers refuse larger pictures, and with them the conversation. */
export const MAX_SHOWN_BYTES = 3_500_000;

/** The kinds of files that models take as such, by how they begin: a name or a type that is wrong would be refused. */
const TYPES: readonly [begins: RegExp, mediaType: string][] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

const DATA_URL = /^data:[^,]*?(;base64)?,(.*)$/s;

/** Words for an agent. A lone surrogate would be refused by providers. */
export const words = (text: string) => ({ type: "text", text: text.toWellFormed() }) as const;

function nameOf({ name, path }: FilePart): string {
  return name ?? path ?? "a file";
}

/** A picture or document as such, a text as its words; anything else is only named. */
function shown(name: string, bytes: Buffer): Shown {
  const begin = bytes.toString("latin1", 0, 16);
  const mediaType = TYPES.find(([begins]) => begins.test(begin))?.[1];
  if (mediaType === undefined && !bytes.includes(0)) return words(`${name}:\n${bytes.toString("utf8")}`);
  if (mediaType !== undefined && bytes.length <= MAX_SHOWN_BYTES)
    return { type: "file", mediaType, data: bytes.toString("base64") };
  const why = mediaType === undefined ? "neither text nor a picture that models take" : "too large to be shown";
  return words(`(the user attached ${name}: ${bytes.length} bytes, ${why})`);
}

/** The content that came with the prompt itself; a file by its path is only named. Never throws: the prompt is in the log for good. */
export function attachedContent(part: FilePart): Shown {
  const name = nameOf(part);
  if (part.url === undefined) return words(`(the user attached ${name})`);
  const [, base64, body] = DATA_URL.exec(part.url) ?? [];
  if (body === undefined)
    return words(`(the user attached ${name} by an address that is no data: URL; it was not read)`);
  return shown(name, base64 ? Buffer.from(body, "base64") : unescaped(body));
}

/** The content of a file of the session's directory as it is now; `tooLarge` is said of one with more than `most` bytes. */
export async function fileContent(path: string, directory: string, most: number, tooLarge: string): Promise<Shown> {
  try {
    const handle = await openInside(directory, path, "read");
    if (!handle) return words(`(the user attached ${path}, which does not exist)`);
    try {
      const { size } = await handle.stat();
      if (size > most) return words(`(the user attached ${path}: ${size} bytes${tooLarge})`);
      return shown(path, await handle.readFile());
    } finally {
      await handle.close();
    }
  } catch (error) {
    return words(`(the user attached ${path}, which could not be read: ${messageOf(error)})`);
  }
}

/** Escapes as bytes; anything that is no escape stays as it is. */
function unescaped(body: string): Buffer {
  return Buffer.concat(
    body
      .split(/((?:%[\da-f]{2})+)/i)
      .map((piece, at) => (at % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.replaceAll("%", ""), "hex"))),
  );
}
