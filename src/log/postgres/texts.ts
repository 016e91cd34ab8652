import { createHash } from "node:crypto";

/** Longer texts are kept by their sum: an index refuses them. */
const LONGEST = 500;
const MARK = "\u0001";
/** Begins no UTF-8. */
const WIDE = 0xff;

/**
 * A text as a column can hold it and an index can find it. PostgreSQL's texts have no NUL and no lone surrogates. Two texts
 * never become one.
 */
export function toColumn(text: string): string {
  if (text.length > LONGEST) return `${MARK}#${createHash("sha256").update(text, "utf16le").digest("hex")}`;
  if (text.isWellFormed() && !text.includes("\0") && !text.startsWith(MARK)) return text;
  return MARK + JSON.stringify(text);
}

/** An agent's line as bytes. Lines that are no UTF-8 are kept as they are, too. */
export function toBytes(line: string): Buffer {
  if (line.isWellFormed()) return Buffer.from(line, "utf8");
  return Buffer.concat([Buffer.from([WIDE]), Buffer.from(line, "utf16le")]);
}

export function fromBytes(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer[0] === WIDE ? buffer.toString("utf16le", 1) : buffer.toString("utf8");
}

type Element = string | number | boolean | null;

/** A list in PostgreSQL's own form. The client's way quotes numbers, too, and copies each text. */
export function toArray(list: readonly Element[]): string {
  return `{${list.map(element).join(",")}}`;
}

function element(value: Element): string {
  if (value === null) return "NULL";
  return typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value);
}
