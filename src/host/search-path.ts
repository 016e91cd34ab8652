import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "./files/inside.ts";

/** Whether a path leads to a file, of whatever kind. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

function isProgram(path: string): boolean {
  if (!isFile(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** npm puts such a directory of a project in front of the search path of all that it starts. */
const OF_PROJECTS = /\/node_modules\/\.bin\/*$/;

function isOfAll(directory: string): boolean {
  return isAbsolute(directory) && !OF_PROJECTS.test(directory);
}

/** A search path without the directories that mean another program in each project, and without those of this project. One that holds the user's home is no project. */
export function searchPathOutside(project: string, searchPath: string, home: string | undefined): string {
  const holdsHome = home !== undefined && isInside(project, home);
  const isOfProject = (one: string): boolean => !holdsHome && isInside(project, one);
  const outside = searchPath.split(delimiter).filter((one) => isOfAll(one) && !isOfProject(one));
  return outside.join(delimiter);
}

/**
 * Where a program is: an absolute path as it is, a bare name in the absolute directories of the search path. A relative name, a relative directory and npm's directory
 * of a project are never followed: they mean another program in each project.
 */
export function findInSearchPath(name: string, searchPath: string): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined;
  if (name === "" || name.includes("/")) return undefined;
  const directories = searchPath.split(delimiter).filter(isOfAll);
  return directories.map((directory) => join(directory, name)).find(isProgram);
}
