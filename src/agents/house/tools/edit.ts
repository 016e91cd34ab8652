import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { ToolFailure } from "../turn/tool-failure.ts";
import { changeFile } from "./change-file.ts";
import { withLineEndsOf } from "./line-ends.ts";
import { defineTool } from "./tool.ts";

/** Replaces a text that must be there exactly once, unless all are meant. */
export function replaceText(before: string, given: string, text: string, all: boolean): string {
  const old = withLineEndsOf(before, given);
  const pieces = before.split(old);
  const first = before.indexOf(old);
  // Places that overlap count as two.
  const again = before.indexOf(old, first + 1) > first;
  const found = first < 0 ? 0 : Math.max(pieces.length - 1, again ? 2 : 1);
  const advice = "read the file and give it exactly, without line numbers";
  if (found === 0) throw new ToolFailure("no_match", `the old text is not in the file; ${advice}`);
  const many = `the old text is in the file ${found} times; give more lines around it, or set all`;
  if (found > 1 && !all) throw new ToolFailure("ambiguous", many);
  return pieces.join(withLineEndsOf(before, text));
}

export const edit = defineTool({
  name: "edit",
  description:
    "Replaces a text in a file by another. The old text must be exactly as it is in the file, and be there once.",
  input: z.object({
    path: z.string().min(1).describe("relative to the working directory"),
    old: z.string().min(1).describe("the text to replace, without line numbers"),
    new: z.string(),
    all: z.boolean().optional().describe("replace each occurrence"),
  }),
  writes: true,
  title: ({ path }) => path,
  run({ path, old, new: text, all = false }, context) {
    const change = (before: Buffer | undefined): string => {
      if (before === undefined) throw new ToolFailure("not_found", `${path} does not exist; use write for a new file`);
      if (!isUtf8(before))
        throw new ToolFailure("not_utf8", `${path} is not UTF-8 and would be damaged; change it with a command`);
      return replaceText(before.toString("utf8"), old, text, all);
    };
    return changeFile(path, change, context);
  },
});
