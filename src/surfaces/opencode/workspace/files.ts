import { type FileHandle, opendir, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { realInside, shownPath } from "../../../host/files/inside.ts";
import { openDirectoryInside, openInside } from "../../../host/files/open-inside.ts";
import { named, notFound } from "../errors.ts";
import { mediaType } from "./media-type.ts";

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 10_000_000;
const CHUNK = 256 * 1024;

export interface Entry {
  /** From the directory; a directory's ends with a slash. */
  path: string;
  type: "file" | "directory";
}

/** A link counts as what it leads to, as long as that is inside. */
async function kindOf(directory: string, path: string): Promise<Entry["type"] | undefined> {
  const real = await realInside(directory, path).catch(() => undefined);
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  if (found?.isDirectory()) return "directory";
  return found?.isFile() ? "file" : undefined;
}

/** The entries of a directory, directories first. */
export async function listFiles(directory: string, path: string): Promise<Entry[]> {
  const opened = await openDirectoryInside(directory, path);
  if (opened === undefined) throw notFound(`${shownPath(directory, path)} does not exist`);
  const shown = resolve(directory, path);
  const entries: Entry[] = [];
  try {
    for await (const item of await opendir(opened.path)) {
      if (entries.length >= MAX_ENTRIES) break;
      const inner = join(shown, item.name);
      const plain = item.isDirectory() ? "directory" : item.isFile() ? "file" : undefined;
      const type = plain ?? (item.isSymbolicLink() ? await kindOf(directory, inner) : undefined);
      if (type === undefined) continue;
      const way = pathFrom(directory, inner);
      entries.push({ path: type === "directory" ? `${way}/` : way, type });
    }
  } finally {
    await opened.close();
  }
  return entries.sort((a, b) => (a.type === b.type ? compare(a.path, b.path) : a.type === "directory" ? -1 : 1));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function nameOf({ path }: Entry): string {
  return basename(path);
}

function pathFrom(directory: string, path: string): string {
  return relative(directory, path).split(sep).join("/");
}

/** A file may grow while it is read, and some say that they are empty. Undefined where it is longer than the limit. */
async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= limit) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, length);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
  }
  return undefined;
}

/** A file's bytes, up to a limit. */
export async function readBytes(directory: string, path: string): Promise<Buffer> {
  const handle = await openInside(directory, path, "read");
  if (!handle) throw notFound(`${shownPath(directory, path)} does not exist`);
  try {
    const { size } = await handle.stat();
    const bytes = size > MAX_BYTES ? undefined : await readUpTo(handle, MAX_BYTES);
    if (bytes) return bytes;
    const held = size > MAX_BYTES ? `${size} bytes` : `more than ${MAX_BYTES} bytes`;
    const message = `${shownPath(directory, path)} has ${held}; expected at most ${MAX_BYTES}`;
    throw named(413, "FileTooLargeError", message, { size, limit: MAX_BYTES });
  } finally {
    await handle.close();
  }
}

export type FileContent =
  | { type: "text"; content: string }
  | { type: "binary"; content: string; encoding: "base64"; mimeType: string };

/** Text as it is; anything that is no UTF-8 as base64. */
export function contentOf(path: string, bytes: Buffer): FileContent {
  if (!bytes.includes(0)) {
    try {
      return { type: "text", content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
      // Some other encoding, or no text at all.
    }
  }
  return { type: "binary", content: bytes.toString("base64"), encoding: "base64", mimeType: mediaType(path) };
}
