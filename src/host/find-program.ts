import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Where the system would find a program: a path as it is, a bare name in the search path. */
export async function findProgram(name: string, searchPath = process.env.PATH ?? ""): Promise<string | undefined> {
  const candidates =
    isAbsolute(name) || name.includes("/")
      ? [resolve(name)]
      : searchPath.split(delimiter).map((directory) => join(directory || ".", name));
  for (const candidate of candidates) {
    if (await isProgram(candidate)) return candidate;
  }
  return undefined;
}
