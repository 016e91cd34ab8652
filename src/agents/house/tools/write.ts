import { z } from "zod";
import { changeFile } from "./change-file.ts";
import { defineTool } from "./tool.ts";

export const write = defineTool({
  name: "write",
  description:
    "Writes a whole file, new or in place of the old one. Directories are made. To change a part of a file use edit.",
  input: z.object({
    path: z.string().min(1).describe("relative to the working directory"),
    content: z.string(),
  }),
  writes: true,
  title: ({ path }) => path,
  run: ({ path, content }, context) => changeFile(path, () => content, context),
});
