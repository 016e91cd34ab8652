import { resolve } from "node:path";
import type { FileChange } from "../../../core/events/values.ts";
import { type Fields, isFields, listIn, numberIn, textIn } from "../../../core/json/fields.ts";
import { percentDecoded } from "../../../core/percent.ts";
import type { Location } from "./updates.ts";

/** The names under which tools take a file or a directory. */
const PATHS = [
  "file_path",
  "filePath",
  "filepath",
  "notebook_path",
  "path",
  "workdir",
  "cwd",
  "directory",
  "parentDir",
];
const LINES = ["line", "offset", "start_line"];

function lineIn(input: Fields): number | undefined {
  for (const name of LINES) {
    const line = numberIn(input, name);
    if (line !== undefined && Number.isInteger(line) && line > 0) return line;
  }
  return undefined;
}

/** The absolute path of a file that an agent names; undefined for what is no path of this machine. */
export function absolutePath(directory: string, path: string): string | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  return resolve(directory, path.startsWith("file://") ? percentDecoded(path.slice("file://".length)) : path);
}

/** The first changed line of a diff, from 1. */
function changedLine({ diff }: FileChange): number | undefined {
  const found = diff === undefined ? null : /^@@ -\d+(?:,\d+)? \+(\d+)/m.exec(diff);
  const line = Number(found?.[1] ?? 0);
  return line > 0 ? line : undefined;
}

function located(path: string | undefined, line: number | undefined): Location[] {
  return path === undefined ? [] : [line === undefined ? { path } : { path, line }];
}

function toldLocation(directory: string, told: Fields): Location[] {
  const path = textIn(told, "path");
  return path === undefined ? [] : located(absolutePath(directory, path), numberIn(told, "line"));
}

/**
 * The files that a call is about: those that the agent tells, those of its input, then those that it changed. Each path once, with its line where known.
 */
export function locationsOf(
  directory: string,
  input: unknown,
  files: readonly FileChange[],
  told: readonly Fields[] = [],
): Location[] {
  const fields: Fields = isFields(input) ? input : {};
  const path = PATHS.flatMap((name) => textIn(fields, name) ?? [])[0];
  const changes = listIn(fields, "changes").flatMap((change) => textIn(change, "path") ?? []);
  const named = [
    ...told.flatMap((one) => toldLocation(directory, one)),
    ...(path === undefined ? [] : located(absolutePath(directory, path), lineIn(fields))),
    ...changes.flatMap((one) => located(absolutePath(directory, one), undefined)),
    ...files.flatMap((file) => located(absolutePath(directory, file.path), changedLine(file))),
  ];
  const found = new Map<string, Location>();
  for (const location of named) {
    const known = found.get(location.path);
    if (known === undefined || (known.line === undefined && location.line !== undefined))
      found.set(location.path, location);
  }
  return [...found.values()];
}
