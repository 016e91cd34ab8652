import { createHash } from "node:crypto";
import { extname } from "node:path";
import { type BundledFile, HASHED } from "./bundle.ts";
import { CODINGS, type Coding } from "./negotiate.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** A file as it is sent. */
export interface ConsoleFile {
  type: string;
  caching: string;
  tag: string;
  bytes: Uint8Array;
  coded: Partial<Record<Coding, Uint8Array>>;
}

export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const SUFFIXES: Readonly<Record<Coding, string>> = { br: ".br", gzip: ".gz" };

/** The name of a file in a coding, beside the file itself. */
export function codedName(name: string, coding: Coding): string {
  return `${name}${SUFFIXES[coding]}`;
}

function isCoded(name: string): boolean {
  return CODINGS.some((coding) => name.endsWith(SUFFIXES[coding]));
}

/** The files of a bundle, by name. A file's codings are found beside it. */
export function filesOf(bundled: readonly BundledFile[]): ConsoleFiles {
  const all = new Map(bundled.map(({ name, bytes }) => [name, bytes]));
  const files = new Map<string, ConsoleFile>();
  for (const [name, bytes] of all) {
    const type = TYPES[extname(name)];
    if (isCoded(name) || type === undefined) continue;
    const coded: ConsoleFile["coded"] = {};
    for (const coding of CODINGS) {
      const small = all.get(codedName(name, coding));
      if (small) coded[coding] = small;
    }
    const caching = name.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache";
    const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    files.set(name, { type, caching, tag, bytes, coded });
  }
  return files;
}
