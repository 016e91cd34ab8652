import { type Fields, textIn } from "../../core/json/fields.ts";
import { exact } from "../../core/permissions/exact.ts";
import { offeredPatterns } from "../../core/permissions/offer.ts";
import { absolutePath, ruledPath } from "../../core/permissions/paths.ts";
import { shown } from "../../core/permissions/shell/word.ts";

/** The request in the words of Parley's rules: an "always" grants exactly these patterns for the session. */
export interface Permitted {
  action: string;
  /** The whole line of shell, which rules are held against. */
  command?: string;
  patterns: string[];
}

/** The session's directory, by which rules name files, and the one in which the call begins. */
export interface Whereabouts {
  directory: string;
  place: string;
}

const ACTIONS: Readonly<Record<string, string>> = {
  Bash: "bash",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Read: "read",
  Glob: "read",
  Grep: "read",
  WebFetch: "webfetch",
  WebSearch: "websearch",
};

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** The patterns of a tool's call. A tool without any is granted as a whole. */
export function permitted(tool: string, input: Fields, { directory, place }: Whereabouts): Permitted {
  const action = ACTIONS[tool] ?? tool;
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path") ?? textIn(input, "path");
  const line = textIn(input, "command");
  const command = line === undefined || place === directory ? line : `cd ${shown({ value: place })} && ${line}`;
  const url = textIn(input, "url");
  if (action === "bash" && command !== undefined)
    return { action, command, patterns: offeredPatterns(command, directory) };
  if ((action === "edit" || action === "read") && path !== undefined)
    return { action, patterns: [exact(ruledPath(directory, absolutePath(place, path)))] };
  if (action === "webfetch" && url !== undefined) return { action, patterns: [exact(hostOf(url))] };
  return { action, patterns: [] };
}
