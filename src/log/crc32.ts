let zlibs: typeof import("node:zlib").crc32 | undefined;

/** The sum of zlib, which is loaded with the first: a server starts an agent's program before it reads a log. */
export function crc32(data: string | Uint8Array, before = 0): number {
  zlibs ??= process.getBuiltinModule("node:zlib").crc32;
  return zlibs(data, before);
}
