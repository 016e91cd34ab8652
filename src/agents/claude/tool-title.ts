import { isAbsolute, relative } from "node:path";
import { type Fields, textIn } from "../../core/json/fields.ts";

/** A path as a person in the session's directory would write it. */
export function shownPath(directory: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const near = relative(directory, path);
  return near === "" || near.startsWith("..") ? path : near;
}

/** The subject of a call in a few words; undefined where its name says enough. */
export function toolTitle(name: string, input: Fields, directory: string): string | undefined {
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path") ?? textIn(input, "path");
  if (name === "Bash") return textIn(input, "command");
  if (path !== undefined && !name.startsWith("mcp__")) return shownPath(directory, path);
  return (
    textIn(input, "description") ??
    textIn(input, "url") ??
    textIn(input, "query") ??
    textIn(input, "pattern") ??
    textIn(input, "subject")
  );
}
