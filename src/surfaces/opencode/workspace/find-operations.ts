import { z } from "zod";
import type { FileNames, NameIndex } from "../../../host/files/names/file-names.ts";
import { bestMatches } from "../../../host/files/names/fuzzy.ts";
import type { Surface } from "../context.ts";
import { get, type Operation } from "../operation.ts";
import { assertDirectory, withFiles } from "./refusals.ts";
import { findText } from "./text-search.ts";

const MAX_MATCHES = 100;
const FEW = 10;

const limit = z.coerce.number().int().min(1).max(200).optional();
export const kind = z.enum(["file", "directory"]).optional();
const word = z.string().max(1_000);

const fileQuery = z.looseObject({ query: word, dirs: z.enum(["true", "false"]).optional(), type: kind, limit });
const textQuery = z.looseObject({ pattern: word.min(1) });

function* candidates({ files, directories }: FileNames, type: "file" | "directory" | undefined): Generator<string> {
  if (type !== "file") yield* directories;
  if (type !== "directory") yield* files;
}

/** Paths that fit a query, the best first; directories end with a slash. */
export async function findNames(
  index: NameIndex,
  directory: string,
  { query, type, limit: most = FEW }: { query: string; type?: "file" | "directory"; limit?: number },
): Promise<string[]> {
  return bestMatches(query, candidates(await index(directory), type), most);
}

export function findOperations({ environment: { commands, git, names } }: Surface): Operation[] {
  const note = `by ripgrep where it is installed, else by git; ${MAX_MATCHES} lines at most`;
  return [
    get("/find", "find.text", { note, query: textQuery }, ({ directory, query }) =>
      withFiles(directory, async () => {
        await assertDirectory(directory);
        return findText(commands, git, { directory, pattern: query.pattern, limit: MAX_MATCHES });
      }),
    ),
    get("/find/file", "find.files", { query: fileQuery }, ({ directory, query }) =>
      withFiles(directory, () => {
        const type = query.type ?? (query.dirs === "false" ? "file" : undefined);
        return findNames(names, directory, { query: query.query, type, limit: query.limit });
      }),
    ),
  ];
}
