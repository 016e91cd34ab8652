import { shown } from "../core/permissions/shell/word.ts";

/** A line as rules are held against it: it begins in the session's directory, so a command that begins elsewhere goes there first. */
export function placedLine(line: string, place: string, directory: string): string {
  return place === directory ? line : `cd ${shown({ value: place })} && ${line}`;
}
