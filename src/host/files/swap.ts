import { unlink } from "node:fs/promises";
import { FileRefused } from "./file-refused.ts";
import { realInside } from "./inside.ts";
import { createInside, openInside } from "./open-inside.ts";
import { replaceContent } from "./replace-content.ts";

const MAX_BYTES = 10_000_000;

/** A text file's whole content, undefined where there is no file. What is no text, or too large, is refused. */
export async function readText(directory: string, path: string): Promise<string | undefined> {
  const handle = await openInside(directory, path, "read");
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) throw new FileRefused("too_large", `${path} has ${size} bytes, more than ${MAX_BYTES}`);
    const bytes = await handle.readFile();
    const text = bytes.toString("utf8");
    if (!Buffer.from(text).equals(bytes)) throw new FileRefused("not_text", `${path} is not UTF-8 text`);
    return text;
  } finally {
    await handle.close();
  }
}

async function remove(directory: string, path: string): Promise<void> {
  const real = await realInside(directory, path);
  if (real !== undefined) await unlink(real);
}

async function write(directory: string, path: string, from: string | undefined, to: string): Promise<void> {
  const isNew = from === undefined;
  const handle = isNew ? await createInside(directory, path) : await openInside(directory, path, "write");
  if (!handle) throw new FileRefused("changed", `${path} is gone`);
  try {
    await replaceContent(handle, isNew ? undefined : Buffer.from(from), Buffer.from(to));
  } catch (error) {
    if (isNew) await remove(directory, path);
    throw error;
  } finally {
    await handle.close();
  }
}

/** A file's content as it is and as it is to be; undefined for no file. */
export interface Swap {
  path: string;
  from: string | undefined;
  to: string | undefined;
}

async function swap(directory: string, { path, from, to }: Swap): Promise<void> {
  if ((await readText(directory, path)) !== from) throw new FileRefused("changed", `${path} was changed meanwhile`);
  await (to === undefined ? remove(directory, path) : write(directory, path, from, to));
}

/** Changes files together: when one cannot be changed, those before it are put back. */
export async function swapAll(directory: string, swaps: readonly Swap[]): Promise<void> {
  const done: Swap[] = [];
  try {
    for (const one of swaps) {
      await swap(directory, one);
      done.push(one);
    }
  } catch (error) {
    for (const { path, from, to } of done.toReversed())
      await swap(directory, { path, from: to, to: from }).catch(() => {});
    throw error;
  }
}
