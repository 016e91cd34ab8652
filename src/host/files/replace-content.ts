import type { FileHandle } from "node:fs/promises";

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  // A disk that is nearly full takes a part, and refuses only the next one.
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await handle.truncate(bytes.length);
}

/** Gives an open file other content. Where that cannot be written, the file has its own again, for which there is room. */
export async function replaceContent(handle: FileHandle, before: Buffer | undefined, after: Buffer): Promise<void> {
  try {
    await writeAll(handle, after);
  } catch (error) {
    await writeAll(handle, before ?? Buffer.alloc(0)).catch(() => {});
    throw error;
  }
}
