import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { FileRefused } from "./file-refused.ts";

/** Whether a path is a directory or lies in it. Both are absolute. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

export function outside(path: string): FileRefused {
  return new FileRefused("outside", `${path} is outside the session's directory; use a path inside it`);
}

/** Directories of the system's own files: reading them may wait for ever, and tells of processes, Parley's own among them. */
const SYSTEMS = /^\/(?:proc|sys|dev(?!\/shm(?:\/|$)))(?:\/|$)/;

export function isSystems(path: string): boolean {
  return SYSTEMS.test(path);
}

async function realOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The real path of a file, if it exists; refused when it is not in the directory. */
export async function realInside(directory: string, path: string): Promise<string | undefined> {
  if (path.includes("\0")) throw new FileRefused("bad_path", "expected a path without a NUL character");
  const target = resolve(directory, path);
  const root = await realpath(directory);
  if (!isInside(directory, target) && !isInside(root, target)) throw outside(path);
  const real = await realOrNothing(target);
  // Also the way to a missing file must stay inside: else the answer would tell whether a file outside exists.
  let known = real;
  for (let way = dirname(target); known === undefined; way = dirname(way)) known = await realOrNothing(way);
  if (!isInside(root, known)) throw outside(path);
  if (isSystems(known)) throw new FileRefused("not_a_file", `${path} is not a file: it belongs to the system`);
  return real;
}

/** A path as people and models see it: relative, with slashes. */
export function shownPath(directory: string, path: string): string {
  return relative(directory, resolve(directory, path)).split(sep).join("/") || ".";
}

/** The names of a file: as it was asked for, and as it is called behind links. The file need not exist. */
export async function namesInside(directory: string, path: string): Promise<string[]> {
  const shown = shownPath(directory, path);
  // The real name of a file outside is not told.
  if (
    await realInside(directory, path).then(
      () => false,
      () => true,
    )
  )
    return [shown];
  const root = await realpath(directory);
  const missing: string[] = [];
  let way = resolve(directory, path);
  let real = await realOrNothing(way);
  for (; real === undefined; real = await realOrNothing(way)) {
    missing.unshift(basename(way));
    way = dirname(way);
  }
  return [...new Set([shown, shownPath(root, join(real, ...missing))])];
}
