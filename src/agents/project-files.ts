import { constants } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { ProjectSetting } from "../core/trust.ts";

/** Limits of the look: directories above, bytes of a file, names in a folder. */
const MAX_LEVELS = 40;
const MAX_BYTES = 512 * 1024;
const MAX_NAMES = 50;

/** Reads the names of the settings in a file's text; undefined where it has none to tell. */
export type KeysOf = (text: string) => string[] | undefined;

/** A file of settings, or a folder of them where nothing reads its keys. */
export interface Look {
  path: string;
  keysOf: KeysOf | undefined;
}

/** The text of a file, `null` where it is something else or too big to be read, undefined where there is nothing. */
async function textOf(path: string): Promise<string | null | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (!there) return undefined;
  if (!there.isFile() || there.size > MAX_BYTES) return null;
  // Something that is no file by now is not waited for.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!handle) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}

async function inFile(path: string, keysOf: KeysOf): Promise<Omit<ProjectSetting, "path"> | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const keys = text === null ? undefined : keysOf(text);
  return keys === undefined ? {} : { keys };
}

async function inFolder(path: string): Promise<Omit<ProjectSetting, "path"> | undefined> {
  const folder = await opendir(path).catch(() => undefined);
  if (!folder) return undefined;
  const names: string[] = [];
  for await (const { name } of folder) {
    names.push(name.replace(/\.(?:md|toml|rules)$/, ""));
    if (names.length === MAX_NAMES) break;
  }
  return names.length === 0 ? undefined : { keys: names.sort() };
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** The directory and those above it, up to the repository's root; without one, up to below the home directory or the machine's root. */
export async function levelsOf(directory: string, home: string | undefined): Promise<string[]> {
  const levels = [directory];
  for (let at = dirname(directory); levels.length < MAX_LEVELS && at !== levels.at(-1) && at !== home; at = dirname(at))
    levels.push(at);
  const roots = await Promise.all(levels.map((level) => exists(join(level, ".git"))));
  const root = roots.indexOf(true);
  return root === -1 ? levels : levels.slice(0, root + 1);
}

/**
 * The directory and all above it. A name `.git` ends nothing: a program that asks git may be told that there is no repository, and look further. The home directory
 * is left out, for its settings are the user's own, unless it is the directory itself.
 */
export function allLevelsOf(directory: string, homes: readonly string[]): string[] {
  const levels = [directory];
  for (let at = directory; dirname(at) !== at; ) {
    at = dirname(at);
    if (!homes.includes(at)) levels.push(at);
  }
  return levels;
}

/** The settings that are there, with paths from the directory. Files are only read; nothing of the project runs. */
export async function settingsAt(directory: string, looks: readonly Look[]): Promise<ProjectSetting[]> {
  // Most projects have none of the folders in which most of the looks are.
  const folders = [...new Set(looks.map(({ path }) => dirname(path)))];
  const there = await Promise.all(folders.map(exists));
  const isThere = new Set(folders.filter((_, at) => there[at]));
  const within = looks.filter(({ path }) => isThere.has(dirname(path)));
  const found = await Promise.all(
    within.map(async ({ path, keysOf }) => ({ path, setting: await (keysOf ? inFile(path, keysOf) : inFolder(path)) })),
  );
  return found.flatMap(({ path, setting }) => {
    if (!setting) return [];
    const way = relative(directory, path);
    return [{ path: way.startsWith("..") ? path : way, ...setting }];
  });
}
