import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath, stat, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolFailure } from "./tool-failure.ts";

/** Whether a path is a directory or lies in it. Both are absolute. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function outside(path: string): ToolFailure {
  return new ToolFailure("outside", `${path} is outside the session's directory; use a path inside it`);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function realOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Where a path really leads, if it exists; refused when that is not in the directory. */
export async function realInside(directory: string, path: string): Promise<string | undefined> {
  const target = resolve(directory, path);
  const root = await realpath(directory);
  if (!isInside(directory, target) && !isInside(root, target)) throw outside(path);
  const real = await realOrNothing(target);
  // Of what does not exist, the way to it must not lead out either: whether a file is there would be told otherwise.
  let known = real;
  for (let way = dirname(target); known === undefined; way = dirname(way)) known = await realOrNothing(way);
  if (!isInside(root, known)) throw outside(path);
  return real;
}

/** A link may be swapped between a look and the opening: what counts is that the opened file is the one inside. */
async function assertSame(handle: FileHandle, directory: string, path: string): Promise<void> {
  const real = await realInside(directory, path);
  const [opened, found] = await Promise.all([handle.stat(), real === undefined ? undefined : stat(real)]);
  if (opened.dev !== found?.dev || opened.ino !== found.ino) throw outside(path);
  if (!opened.isFile()) throw new ToolFailure("not_a_file", `${path} is not a file`);
}

async function checked(handle: FileHandle, directory: string, path: string): Promise<FileHandle> {
  try {
    await assertSame(handle, directory, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** Opens a file that exists, without waiting for what is no file. Undefined where there is none. */
export async function openInside(
  directory: string,
  path: string,
  access: "read" | "write",
): Promise<FileHandle | undefined> {
  const real = await realInside(directory, path);
  if (real === undefined) return undefined;
  const flags = (access === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK;
  try {
    return await checked(await open(real, flags), directory, path);
  } catch (error) {
    if (codeOf(error) === "EISDIR") throw new ToolFailure("not_a_file", `${path} is a directory`);
    throw error;
  }
}

/** The directory that a new file goes into, made where it is missing. */
async function parentInside(directory: string, path: string): Promise<string> {
  const parent = dirname(resolve(directory, path));
  let existing = parent;
  while ((await realInside(directory, existing)) === undefined) existing = dirname(existing);
  const real = (await realInside(directory, existing)) ?? directory;
  await mkdir(join(real, relative(existing, parent)), { recursive: true });
  return (await realInside(directory, parent)) ?? directory;
}

/** Makes a new file. One that exists already is an error, a link to nowhere too. */
export async function createInside(directory: string, path: string): Promise<FileHandle> {
  if ((await realInside(directory, path)) !== undefined)
    throw new ToolFailure("exists", `${path} exists already; read it first`);
  const file = join(await parentInside(directory, path), basename(resolve(directory, path)));
  const handle = await open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666).catch((error: unknown) => {
    throw codeOf(error) === "EEXIST" ? outside(path) : error;
  });
  try {
    return await checked(handle, directory, path);
  } catch (error) {
    await unlink(file);
    throw error;
  }
}

/** As shown to people and models: relative, with slashes. */
export function shownPath(directory: string, path: string): string {
  return relative(directory, resolve(directory, path)).split(sep).join("/") || ".";
}
