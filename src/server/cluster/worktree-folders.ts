import { Settings } from "../../cluster/settings.ts";
import type { Sql } from "../../cluster/sql.ts";

const entryOf = (place: string): string => `worktrees:${place}`;

function foldersIn(value: string | undefined): string[] {
  return value === undefined ? [] : (JSON.parse(value) as string[]);
}

/** The folders of worktrees of all nodes of a place, with this one's. A worktree is made by the keeper, and worked in by all. */
export async function shareFolder(sql: Sql, place: string, folder: string): Promise<string[]> {
  const value = await new Settings(sql).change(entryOf(place), (before) =>
    JSON.stringify([...new Set([...foldersIn(before), folder])].sort()),
  );
  return foldersIn(value);
}

/** The same, as of now. */
export async function sharedFolders(sql: Sql, place: string): Promise<string[]> {
  return foldersIn(await new Settings(sql).read(entryOf(place)));
}
