import type { Pages } from "./pages.ts";

export type Value = null | number | string;

/** A row as its bytes say, wherever they were found. */
export interface Cell {
  rowid: number;
  values: Value[];
}

/** Which columns a table may have: `n` a number, `t` a text, `?` a text or nothing, `s` a number or nothing. */
export type Shape = string;

interface Varint {
  value: number;
  next: number;
}

/** Rows of the given shapes that begin anywhere in a page: its own directory may be what is damaged. */
export function* cellsIn(pages: Pages, number: number, shapes: readonly Shape[]): Generator<Cell> {
  const page = pages.page(number);
  if (!page) return;
  // A cell is its length, its rowid and its header, whose first column is the rowid's and takes no room.
  for (let at = number === 1 ? 100 : 0; at + 8 < pages.usable; at++) {
    const length = varint(page, at);
    if (length.value < 8) continue;
    const rowid = varint(page, length.next);
    const head = page[rowid.next] ?? 0;
    if (head < 9 || head > 127 || page[rowid.next + 1] !== 0 || rowid.value < 1) continue;
    const types = typesOf(page, rowid.next + 1, rowid.next + head);
    if (!types || !shapes.some((shape) => fits(types, shape))) continue;
    if (head + types.reduce((sum, type) => sum + sizeOf(type), 0) !== length.value) continue;
    const payload = payloadOf(pages, page, rowid.next, length.value);
    if (payload) yield { rowid: rowid.value, values: valuesOf(payload, head, types) };
  }
}

function varint(buffer: Buffer, at: number): Varint {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = buffer[at + index] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 128) return { value, next: at + index + 1 };
  }
  return { value: value * 256 + (buffer[at + 8] ?? 0), next: at + 9 };
}

function typesOf(page: Buffer, from: number, end: number): number[] | undefined {
  const types: number[] = [];
  let at = from;
  while (at < end) {
    const { value, next } = varint(page, at);
    types.push(value);
    at = next;
  }
  return at === end && end <= page.length ? types : undefined;
}

const isNumber = (type: number): boolean => (type >= 1 && type <= 6) || type === 8 || type === 9;
const isText = (type: number): boolean => type >= 13 && type % 2 === 1;

function fits(types: readonly number[], shape: Shape): boolean {
  if (types.length !== shape.length + 1) return false;
  return [...shape].every((wanted, index) => {
    const type = types[index + 1] ?? 0;
    if (wanted === "n") return isNumber(type);
    if (wanted === "t") return isText(type);
    return type === 0 || (wanted === "?" ? isText(type) : isNumber(type));
  });
}

function sizeOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type] ?? 0;
}

/** The bytes of a row, also where most of them lie on pages of their own. */
function payloadOf(pages: Pages, page: Buffer, at: number, length: number): Buffer | undefined {
  const { usable } = pages;
  const local = localBytes(usable, length);
  // A damaged length could go round a ring of pages without end.
  if (at + local > usable || length > usable * pages.count) return undefined;
  const parts = [page.subarray(at, at + local)];
  let left = length - local;
  let next = left > 0 && at + local + 4 <= usable ? page.readUInt32BE(at + local) : 0;
  while (left > 0) {
    const overflow = pages.page(next);
    if (!overflow) return undefined;
    const part = overflow.subarray(4, Math.min(usable, 4 + left));
    parts.push(part);
    left -= part.length;
    next = overflow.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/** As the file format has it: how much of a row stays on its own page. */
function localBytes(usable: number, length: number): number {
  if (length <= usable - 35) return length;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const most = least + ((length - least) % (usable - 4));
  return most <= usable - 35 ? most : least;
}

function valuesOf(payload: Buffer, head: number, types: readonly number[]): Value[] {
  let at = head;
  return types.map((type) => {
    const size = sizeOf(type);
    const bytes = payload.subarray(at, at + size);
    at += size;
    if (type === 0) return null;
    if (type === 8 || type === 9) return type - 8;
    return isText(type) ? bytes.toString("utf8") : integer(bytes);
  });
}

function integer(bytes: Buffer): number {
  return bytes.length <= 6 ? bytes.readIntBE(0, bytes.length) : Number(bytes.readBigInt64BE(0));
}
