import { resolve } from "node:path";
import { z } from "zod";
import type { Surface } from "../context.ts";
import { get, type Operation } from "../operation.ts";
import { contentOf, listFiles, nameOf, readBytes } from "./files.ts";
import { ignoredOf } from "./git/ignored.ts";
import { changedFiles } from "./git/vcs.ts";
import { withFiles } from "./refusals.ts";

const query = z.looseObject({ path: z.string() });

export function fileOperations({ environment: { git } }: Surface): Operation[] {
  async function list(directory: string, path: string): Promise<object[]> {
    const entries = await listFiles(directory, path);
    const paths = entries.map((entry) => entry.path);
    const ignored = await ignoredOf(git, directory, paths);
    return entries.map((entry) => ({
      name: nameOf(entry),
      path: entry.path,
      absolute: resolve(directory, entry.path),
      type: entry.type,
      ignored: ignored.has(entry.path),
    }));
  }
  return [
    get("/file", "file.list", { query }, ({ directory, query: { path } }) =>
      withFiles(directory, () => list(directory, path)),
    ),
    get(
      "/file/content",
      "file.read",
      { note: "at most 10 MB; 404 for a file that is not there", query },
      ({ directory, query: { path } }) =>
        withFiles(directory, async () => contentOf(path, await readBytes(directory, path))),
    ),
    get("/file/status", "file.status", async ({ directory }) => {
      const changed = await changedFiles(git, directory);
      return changed.map(({ file: path, additions: added, deletions: removed, status }) => {
        return { path, added, removed, status };
      });
    }),
  ];
}
