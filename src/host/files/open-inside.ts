import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { onLinux } from "../process-identity.ts";
import { FileRefused } from "./file-refused.ts";
import { isInside, outside, realInside } from "./inside.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

const byHandle = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`;

/**
 * A link may be swapped between a look at a path and its opening, so what was opened is looked at. Linux tells where a
 * handle leads; elsewhere the path is looked at once more, which leaves a swap to and fro in between unseen.
 */
async function assertInside(handle: FileHandle, directory: string, path: string): Promise<void> {
  const root = await realpath(directory);
  const where = onLinux ? await readlink(byHandle(handle)).catch(() => undefined) : undefined;
  if (where !== undefined) {
    if (!isInside(root, where)) throw outside(path);
    return;
  }
  const real = await realInside(directory, path);
  const [opened, found] = await Promise.all([handle.stat(), real === undefined ? undefined : stat(real)]);
  if (opened.dev !== found?.dev || opened.ino !== found.ino) throw outside(path);
}

async function openChecked(real: string, flags: number, directory: string, path: string): Promise<FileHandle> {
  const handle = await open(real, flags | O_NOFOLLOW);
  try {
    await assertInside(handle, directory, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a file that exists, without waiting for what is no file. Undefined where there is none. */
export async function openInside(
  directory: string,
  path: string,
  access: "read" | "write",
): Promise<FileHandle | undefined> {
  const real = await realInside(directory, path);
  if (real === undefined) return undefined;
  try {
    const flags = (access === "read" ? O_RDONLY : O_RDWR) | O_NONBLOCK;
    const handle = await openChecked(real, flags, directory, path);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
  } catch (error) {
    if (codeOf(error) !== "EISDIR") throw error;
  }
  throw new FileRefused("not_a_file", `${path} is not a file`);
}

/** A directory that stays the one that was looked at: on Linux `path` names it whatever its own path leads to by then. */
export interface OpenDirectory {
  path: string;
  close(): Promise<void>;
}

/** Opens a directory that exists. Undefined where there is none. */
export async function openDirectoryInside(directory: string, path: string): Promise<OpenDirectory | undefined> {
  const real = await realInside(directory, path);
  if (real === undefined) return undefined;
  const handle = await openChecked(real, O_RDONLY | O_DIRECTORY, directory, path);
  return { path: onLinux ? byHandle(handle) : real, close: () => handle.close() };
}

interface Place {
  handle: FileHandle;
  real: string;
}

/** Names a file in an open directory, which stays that directory whatever its path leads to by then. */
function inPlace({ handle, real }: Place, name: string): string {
  return join(onLinux ? byHandle(handle) : real, name);
}

/** The nearest directory on the way to a file that exists, open, and the names of those that are missing. */
async function nearest(directory: string, path: string): Promise<{ place: Place; missing: string[] }> {
  const parent = dirname(resolve(directory, path));
  for (let existing = parent; ; existing = dirname(existing)) {
    const real = await realInside(directory, existing);
    if (real === undefined) continue;
    const handle = await openChecked(real, O_RDONLY | O_DIRECTORY, directory, existing);
    return { place: { handle, real }, missing: relative(existing, parent).split(sep).filter(Boolean) };
  }
}

async function makeDirectory(place: Place, name: string): Promise<Place> {
  const path = inPlace(place, name);
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  return { handle: await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real: join(place.real, name) };
}

/** Makes a new file, and the directories on the way to it. One that exists already is an error, a link to nowhere too. */
export async function createInside(directory: string, path: string): Promise<FileHandle> {
  if ((await realInside(directory, path)) !== undefined)
    throw new FileRefused("exists", `${path} exists already; read it first`);
  const { place, missing } = await nearest(directory, path);
  const opened = [place];
  try {
    let last = place;
    for (const name of missing) {
      last = await makeDirectory(last, name);
      opened.push(last);
    }
    const file = inPlace(last, basename(resolve(directory, path)));
    return await open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? outside(path) : error;
  } finally {
    await Promise.all(opened.map(({ handle }) => handle.close()));
  }
}
