import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { isInside, isSystems } from "../../../host/files/inside.ts";

/** A larger file is not read: all sessions wait meanwhile. */
const MAX_BYTES = 1_000_000;

/** The text of a small file of the directory as it is at this moment, to tell where in it a change was made; undefined where that cannot be known. */
export function lookAt(directory: string, path: string): string | undefined {
  try {
    const real = realpathSync(resolve(directory, path));
    if (!isInside(realpathSync(directory), real) || isSystems(real)) return undefined;
    const file = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const { size } = fstatSync(file);
      if (!fstatSync(file).isFile() || size > MAX_BYTES) return undefined;
      const bytes = Buffer.alloc(size);
      return bytes.toString("utf8", 0, readSync(file, bytes, 0, size, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
