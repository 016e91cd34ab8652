import { resolve } from "node:path";

/** Clients send a path raw, as UTF-8 bytes that HTTP reads as Latin-1, or percent-encoded. */
function decodeHeader(value: string): string {
  try {
    const decoded = decodeURIComponent(value);
    if (decoded !== value) return decoded;
  } catch {
    // A raw path may hold a percent sign that encodes nothing.
  }
  const bytes = Buffer.from(value, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

export interface DirectoryHints {
  /** `?directory=`, or `?location[directory]=` of the newer half of the API. */
  query: string | undefined;
  /** `x-opencode-directory`. */
  header: string | undefined;
}

/** The directory that a request is about, where it says so. */
export function namedDirectory({ query, header }: DirectoryHints): string | undefined {
  if (query !== undefined && query !== "") return resolve(query);
  if (header !== undefined && header !== "") return resolve(decodeHeader(header));
  return undefined;
}
