import { z } from "zod";
import { codeOf, ParleyError } from "../../../core/errors.ts";
import { loose } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { CommandHost } from "../../../host/contract.ts";
import { FileRefused } from "../../../host/files/file-refused.ts";
import { nameIndex } from "../../../host/files/names/file-names.ts";
import { bestMatches } from "../../../host/files/names/fuzzy.ts";
import { gitOn } from "../../../host/git/git.ts";
import type { DirectoryUse } from "../../../log/contract.ts";
import { get, type Route } from "../route.ts";

const limit = z.coerce.number().int().min(1).max(200).default(20);
const q = z.string().max(1_000).default("");

const fileQuery = z.object({
  directory: z.string().optional().describe("absolute path; the server's own directory otherwise"),
  q: q.describe("letters of the path, in their order; nothing fits everything"),
  limit,
});
const directoryQuery = z.object({ q: q.describe("letters of the path, in their order"), limit });

const namedFile = loose("FileName", {
  path: z.string().describe("from the directory"),
  directory: z.boolean(),
});
const usedDirectory = loose("UsedDirectory", {
  path: z.string(),
  sessions: z.number().describe("how many there are, without those of sub-agents"),
  updated: z.number().optional().describe("when the last of them changed; absent where there is none"),
});

/** A list comes with every letter that a person types. */
const FRESH_MS = 3_000;
const MOST_DIRECTORIES = 1_000;

function* both(directories: readonly string[], files: readonly string[]): Generator<string> {
  yield* directories;
  yield* files;
}

export interface FileRouteOptions {
  gateway: Gateway;
  commands: CommandHost;
  defaultDirectory: string;
}

/** Names of files and directories, for people who type the beginning of one. */
export function fileRoutes({ gateway, commands, defaultDirectory }: FileRouteOptions): Route[] {
  const names = nameIndex(gitOn(commands));
  let known: { until: number; used: Promise<DirectoryUse[]> } | undefined;

  async function namesIn(directory: string): ReturnType<typeof names> {
    try {
      return await names(directory);
    } catch (error) {
      const why = error instanceof FileRefused ? error.message : codeOf(error);
      throw why === undefined ? error : new ParleyError("invalid", `${directory} cannot be read: ${why}`);
    }
  }

  /** Those of sessions, the newest first, and the server's own. Nodes of other places have roots of their own. */
  async function readDirectories(): Promise<DirectoryUse[]> {
    const { roots, log, place } = gateway;
    const used = await log.directories(MOST_DIRECTORIES);
    const limited = roots.directories.length > 0 && place === undefined;
    const allowed = limited ? used.filter(({ directory }) => roots.has(directory)) : used;
    const own = new Set([defaultDirectory, ...roots.directories]);
    for (const { directory } of allowed) own.delete(directory);
    return [...allowed, ...[...own].map((directory) => ({ directory, sessions: 0 }))];
  }

  function directories(): Promise<DirectoryUse[]> {
    if (known && Date.now() < known.until) return known.used;
    const used = readDirectories();
    const fresh = { until: Date.now() + FRESH_MS, used };
    known = fresh;
    used.catch(() => {
      if (known === fresh) known = undefined;
    });
    return used;
  }

  return [
    get("/v1/files", "findFiles", {
      summary:
        "Files and directories inside a directory whose path fits, the best first. What git ignores is left out.",
      query: fileQuery,
      answer: z.looseObject({ files: z.array(namedFile) }),
      errors: [403, 409, 422],
      handle: async ({ query }) => {
        const given = query.directory;
        const directory = await gateway.directory(given ?? defaultDirectory, given === undefined);
        const { files, directories: inner } = await namesIn(directory);
        const best = bestMatches(query.q, both(inner, files), query.limit);
        return {
          files: best.map((path) => ({ path: path.replace(/\/$/, ""), directory: path.endsWith("/") })),
        };
      },
    }),
    get("/v1/directories", "listDirectories", {
      summary: "The directories of sessions, newest first, and the server's own; with `q` the best first.",
      query: directoryQuery,
      answer: z.looseObject({ directories: z.array(usedDirectory) }),
      errors: [503],
      handle: async ({ query }) => {
        const all = await directories();
        const paths = all.map(({ directory }) => directory);
        const best = query.q === "" ? paths.slice(0, query.limit) : bestMatches(query.q, paths, query.limit);
        const shown = best.flatMap((path) => all.find(({ directory }) => directory === path) ?? []);
        return {
          directories: shown.map(({ directory, sessions, updated }) => present({ path: directory, sessions, updated })),
        };
      },
    }),
  ];
}
