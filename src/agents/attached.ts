import type { PromptPart } from "../core/events/values.ts";

/** Providers refuse larger pictures, and with them the conversation. */
export const MAX_SHOWN_BYTES = 3_500_000;

/** What models take as such, by how it begins: a name or a type that is wrong would be refused. */
const SHOWN: readonly [begins: RegExp, mediaType: string][] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/, "application/pdf"],
];

const DATA_URL = /^data:[^,]*?(;base64)?,(.*)$/s;

/** The type of a picture or document that models are shown as such. */
export function shownType(bytes: Buffer): string | undefined {
  const begin = bytes.toString("latin1", 0, 16);
  return SHOWN.find(([begins]) => begins.test(begin))?.[1];
}

/** What an attachment is called in words to the agent. */
export function attachedName({ name, path }: Extract<PromptPart, { type: "file" }>): string {
  return name ?? path ?? "a file";
}

/** What came with the prompt itself; undefined for an address that holds nothing. It is in the log for good, so it never throws. */
export function attachedBytes(url: string): Buffer | undefined {
  const found = DATA_URL.exec(url);
  if (!found) return undefined;
  const [, base64, body = ""] = found;
  return base64 ? Buffer.from(body, "base64") : unescaped(body);
}

/** Escapes as bytes; what is none stays as it is. */
function unescaped(body: string): Buffer {
  return Buffer.concat(
    body
      .split(/((?:%[\da-f]{2})+)/i)
      .map((piece, at) => (at % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece.replaceAll("%", ""), "hex"))),
  );
}
