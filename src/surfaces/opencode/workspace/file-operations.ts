import { resolve } from "node:path";
import { z } from "zod";
import type { Surface } from "../context.ts";
import { type Operation, operation } from "../operation.ts";
import { contentOf, listFiles, nameOf, readBytes } from "./files.ts";
import { ignoredOf } from "./git/ignored.ts";
import { changedFiles } from "./git/vcs.ts";
import { withFiles } from "./refusals.ts";

const byPath = z.looseObject({ path: z.string() });

export function fileOperations({ environment: { git } }: Surface): Operation[] {
  return [
    operation({
      method: "get",
      path: "/file",
      id: "file.list",
      support: "real",
      query: byPath,
      handle: ({ directory, query }) =>
        withFiles(directory, async () => {
          const entries = await listFiles(directory, query.path);
          const ignored = await ignoredOf(
            git,
            directory,
            entries.map(({ path }) => path),
          );
          return entries.map((entry) => ({
            name: nameOf(entry),
            path: entry.path,
            absolute: resolve(directory, entry.path),
            type: entry.type,
            ignored: ignored.has(entry.path),
          }));
        }),
    }),
    operation({
      method: "get",
      path: "/file/content",
      id: "file.read",
      support: "real",
      note: "at most 10 MB; 404 for a file that is not there",
      query: byPath,
      handle: ({ directory, query }) =>
        withFiles(directory, async () => contentOf(query.path, await readBytes(directory, query.path))),
    }),
    operation({
      method: "get",
      path: "/file/status",
      id: "file.status",
      support: "real",
      async handle({ directory }) {
        const changed = await changedFiles(git, directory);
        return changed.map(({ file, additions, deletions, status }) => ({
          path: file,
          added: additions,
          removed: deletions,
          status,
        }));
      },
    }),
  ];
}
