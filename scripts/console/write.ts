import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { BundledFile } from "../../src/server/console/bundle.ts";
import { codedName } from "../../src/server/console/files.ts";
import { bundleConsole } from "./bundle.ts";

/** These are compressed already. */
const COMPRESSED = new Set([".png", ".woff2"]);

/** A file as it is and in its codings, as small as they can be: a package is built once and read by many. */
export function withCodings({ name, bytes }: BundledFile): BundledFile[] {
  if (COMPRESSED.has(extname(name))) return [{ name, bytes }];
  const brotli = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return [
    { name, bytes },
    { name: codedName(name, "br"), bytes: brotliCompressSync(bytes, { params: brotli }) },
    { name: codedName(name, "gzip"), bytes: gzipSync(bytes, { level: 9 }) },
  ];
}

/** Writes the console into a folder, for the package. */
export async function writeConsole(folder: string): Promise<void> {
  const { files } = await bundleConsole({ sourcemaps: false });
  for (const { name, bytes } of files.flatMap(withCodings)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}
