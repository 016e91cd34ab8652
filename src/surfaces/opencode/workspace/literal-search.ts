import { walk } from "../../../host/files/walk.ts";
import { readBytes } from "./files.ts";
import type { TextMatch } from "./search-output.ts";

const MAX_FILES = 5_000;
const SEARCH_MS = 3_000;
const MAX_BYTES = 1_000_000;

/** The lines of a text that hold a word as it stands. */
function* linesWith(path: string, bytes: Buffer, word: string): Generator<TextMatch> {
  let offset = 0;
  for (const [index, line] of bytes.toString("utf8").split("\n").entries()) {
    const start = line.indexOf(word);
    if (start >= 0) {
      const from = Buffer.byteLength(line.slice(0, start));
      yield {
        path: { text: path },
        lines: { text: `${line}\n` },
        line_number: index + 1,
        absolute_offset: offset,
        submatches: [{ match: { text: word }, start: from, end: from + Buffer.byteLength(word) }],
      };
    }
    offset += Buffer.byteLength(line) + 1;
  }
}

/** For a machine without a program that searches. No regular expressions: one could hold up every session. */
export async function literalSearch(directory: string, word: string, limit: number): Promise<TextMatch[]> {
  const found: TextMatch[] = [];
  const signal = AbortSignal.timeout(SEARCH_MS);
  for await (const { path, directory: isDirectory } of walk(directory, { signal, max: MAX_FILES })) {
    if (isDirectory) continue;
    const bytes = await readBytes(directory, path).catch(() => undefined);
    if (!bytes || bytes.length > MAX_BYTES || bytes.includes(0)) continue;
    for (const match of linesWith(path, bytes, word)) {
      if (found.push(match) >= limit) return found;
    }
  }
  return found;
}
