import { z } from "zod";
import { shownPath } from "../../../host/files/inside.ts";
import { openInside } from "../../../host/files/open-inside.ts";
import { ToolFailure } from "../tool-failure.ts";
import { defineTool } from "./tool.ts";

const MAX_LINES = 2_000;
const MAX_LINE = 2_000;
const MAX_BYTES = 10_000_000;

/** Lines with their numbers, and how many there are when not all are shown. */
export function numbered(text: string, offset: number, limit: number): string {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const rows = shown.map((line, at) => {
    const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}… (${line.length} characters)` : line;
    return `${offset + at}: ${cut}`;
  });
  if (shown.length === lines.length) return rows.join("\n");
  const last = offset + shown.length - 1;
  return `${rows.join("\n")}\n(lines ${offset} to ${last} of ${lines.length}; read on with offset ${last + 1})`;
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
  async run({ path, offset = 1, limit = MAX_LINES }, { directory }) {
    const handle = await openInside(directory, path, "read");
    if (!handle) throw new ToolFailure("not_found", `${shownPath(directory, path)} does not exist`);
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES)
        throw new ToolFailure(
          "too_large",
          `${path} has ${size} bytes, more than ${MAX_BYTES}; look for what you need with grep`,
        );
      const bytes = await handle.readFile();
      if (bytes.includes(0)) throw new ToolFailure("binary", `${path} is not a text file`);
      return { output: bytes.length === 0 ? "(the file is empty)" : numbered(bytes.toString("utf8"), offset, limit) };
    } finally {
      await handle.close();
    }
  },
});
