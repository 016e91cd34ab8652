import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ParleyError } from "../../core/errors.ts";
import { percentDecoded } from "../../core/percent.ts";

const PLAIN = /^[\x20-\x7e]*$/;

/** Clients send a path raw, as UTF-8 bytes that HTTP reads as Latin-1, or percent-encoded: then it is plain ASCII. */
export function decodeHeader(value: string): string {
  if (!PLAIN.test(value)) {
    const text = Buffer.from(value, "latin1").toString("utf8");
    return text.includes("\ufffd") ? value : text;
  }
  return percentDecoded(value);
}

/** One spelling for one directory, whichever way a client names it; one that is not there stays as it was named. */
export function oneSpelling(path: string): string {
  if (path.includes("\0"))
    throw new ParleyError("invalid", "expected the path of a directory, got one with a NUL in it");
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENAMETOOLONG")) return absolute;
    const got = `one of ${path.length} characters that begins with ${path.slice(0, 60)}`;
    throw new ParleyError("invalid", `expected the path of a directory, got ${got}: no file system has names so long`);
  }
}

export interface DirectoryHints {
  /** `?directory=`, or `?location[directory]=` of the newer half of the API. */
  query: string | undefined;
  /** `x-opencode-directory`. */
  header: string | undefined;
}

/** The directory that a request is about, where it says so. */
export function namedDirectory({ query, header }: DirectoryHints): string | undefined {
  if (query !== undefined && query !== "") return oneSpelling(query);
  if (header !== undefined && header !== "") return oneSpelling(decodeHeader(header));
  return undefined;
}
