import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { exact } from "../../../core/permissions/exact.ts";
import { namesInside, shownPath } from "../../../host/files/inside.ts";
import { openInside } from "../../../host/files/open-inside.ts";
import { ToolFailure } from "../turn/tool-failure.ts";
import { usesCrlf } from "./line-ends.ts";
import { defineTool } from "./tool.ts";

const MAX_LINES = 2_000;
const MAX_LINE = 2_000;
const MAX_BYTES = 10_000_000;

/** The most that a model is given at once; more would fill its context in one step. */
const MAX_CHARS = 100_000;

function row(number: number, line: string): string {
  return `${number}: ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… (${line.length} characters)` : line}`;
}

/** Lines with their numbers, and how many there are when not all are shown. */
export function numbered(text: string, offset: number, limit: number): string {
  const end = usesCrlf(text) ? "\r\n" : "\n";
  const lines = (text.endsWith(end) ? text.slice(0, -end.length) : text).split(end);
  if (offset > lines.length)
    throw new ToolFailure("past_end", `there is no line ${offset}: the file has ${lines.length} lines`);
  const rows: string[] = [];
  for (let chars = 0, at = offset; at <= lines.length && rows.length < limit && chars < MAX_CHARS; at++) {
    const next = row(at, lines[at - 1] ?? "");
    chars += next.length;
    rows.push(next);
  }
  if (rows.length === lines.length) return rows.join("\n");
  const last = offset + rows.length - 1;
  const more = last === lines.length ? "this is the end" : `read on with offset ${last + 1}`;
  return `${rows.join("\n")}\n(lines ${offset} to ${last} of ${lines.length}; ${more})`;
}

export const read = defineTool({
  name: "read",
  description: `Reads a text file. Each line comes with its number. At most ${MAX_LINES} lines at a time; use offset for the rest.`,
  input: z.object({
    path: z.string().min(1).describe("relative to the working directory"),
    offset: z.int().min(1).optional().describe("the first line to show, 1 by default"),
    limit: z.int().min(1).max(MAX_LINES).optional(),
  }),
  title: ({ path }) => path,
  async intent({ path }, directory) {
    return { action: "read", patterns: (await namesInside(directory, path)).map(exact), title: path };
  },
  async run({ path, offset = 1, limit = MAX_LINES }, { directory }) {
    const handle = await openInside(directory, path, "read");
    if (!handle) throw new ToolFailure("not_found", `${shownPath(directory, path)} does not exist`);
    try {
      const { size } = await handle.stat();
      const large = `${path} has ${size} bytes, more than ${MAX_BYTES}; look for what you need with grep`;
      if (size > MAX_BYTES) throw new ToolFailure("too_large", large);
      const bytes = await handle.readFile();
      if (bytes.includes(0)) throw new ToolFailure("binary", `${path} is not a text file`);
      if (bytes.length === 0) return { output: "(the file is empty)" };
      const note = isUtf8(bytes)
        ? ""
        : "\n(not UTF-8: what could not be read is shown as \ufffd, and edit refuses this file)";
      return { output: `${numbered(bytes.toString("utf8"), offset, limit)}${note}` };
    } finally {
      await handle.close();
    }
  },
});
