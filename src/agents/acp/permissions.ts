import { unifiedDiff } from "../../core/diff/unified-diff.ts";
import { type Fields, fieldsIn, listIn, present, textIn, wordOf } from "../../core/json/fields.ts";
import type { PermissionSignal } from "../../core/ledger/signals.ts";
import { exact } from "../../core/permissions/exact.ts";
import { offeredPatterns } from "../../core/permissions/offer.ts";
import { absolutePath, ruledPath } from "../../core/permissions/paths.ts";
import { shown } from "../../core/permissions/shell/word.ts";
import { patchedFiles } from "../patched-files.ts";
import { placedLine } from "../placed-line.ts";
import { diffsOf, locationsOf } from "./decode/content.ts";
import { toolName } from "./decode/tool-names.ts";
import { inputOf } from "./decode/tools.ts";

export type Permission = Pick<PermissionSignal, "action" | "command" | "patterns" | "title" | "input" | "metadata">;

const PATHS = [
  ...["filepath", "filePath", "file_path", "notebook_path", "path", "target_file", "absolute_path"],
  ...["paths", "files", "file_paths", "filePaths"],
];
/** The names of both ends of a move. */
const ENDS = [
  ...["source", "source_path", "sourcePath", "old_path", "oldPath", "from"],
  ...["destination", "destination_path", "destinationPath", "new_path", "newPath", "to"],
];
/** Commands of the tool for editing text that models are trained with. They are no lines of shell. */
const EDITOR: ReadonlyMap<unknown, "read" | "edit"> = new Map([
  ["view", "read"],
  ["create", "edit"],
  ["str_replace", "edit"],
  ["insert", "edit"],
  ["undo_edit", "edit"],
]);
/** The system's shells: one of a project may do anything with the line that it is given. */
const SHELL = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da|k)?sh$/;
const SHELL_FLAGS = /^-[a-z]*c[a-z]*$/;
const ACTIONS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    execute: "bash",
    edit: "edit",
    delete: "edit",
    move: "edit",
    read: "read",
    search: "read",
    fetch: "webfetch",
  }),
);

/** A line of shell of words that a program is given. The line of a shell that is given one is that line. */
export function lineOf(words: readonly string[]): string {
  const [program = "", flags = "", line] = words;
  if (line !== undefined && words.length === 3 && SHELL.test(program) && SHELL_FLAGS.test(flags)) return line;
  return words.map((value) => shown({ value })).join(" ");
}

function commandOf(input: Fields, directory: string): string | undefined {
  const told = input.command ?? input.cmd;
  const line = Array.isArray(told) ? lineOf(told.map(wordOf)) : typeof told === "string" ? told : undefined;
  const place = textIn(input, "cwd") ?? textIn(input, "workdir") ?? textIn(input, "dir_path");
  return line === undefined ? undefined : placedLine(line, absolutePath(directory, place ?? "."), directory);
}

function namedPaths({ kind }: Fields, input: Fields): string[] {
  const names = kind === "move" ? [...PATHS, ...ENDS] : PATHS;
  const values = names.flatMap((name) => (Object.hasOwn(input, name) ? input[name] : []));
  return values.filter((value) => typeof value === "string");
}

/** The action of a call of the tool for editing text; undefined for every other call. */
function editorAction(call: Fields, input: Fields): "read" | "edit" | undefined {
  return call.kind === "execute" || namedPaths(call, input).length === 0 ? undefined : EDITOR.get(input.command);
}

/** The files of a call. A change is held against all that it names anywhere; what is read may show more places than it reads. */
function pathsOf(call: Fields, input: Fields, action: "read" | "edit"): string[] {
  const named = namedPaths(call, input);
  const patch = textIn(input, "patch") ?? textIn(input, "input") ?? textIn(input, "patchText") ?? "";
  const changes = Object.keys(fieldsIn(input, "changes"));
  const diffs = diffsOf(listIn(call, "content")).map(({ path }) => path);
  const found = [...diffs, ...changes, ...patchedFiles(patch), ...named];
  const shown = locationsOf(call).map(({ path }) => path);
  return action === "edit" || found.length === 0 ? [...found, ...shown] : found;
}

/** The change that is asked about, for a person to see. */
function shownDiff(call: Fields, directory: string): string | undefined {
  const diffs = diffsOf(listIn(call, "content"));
  if (diffs.length === 0) return undefined;
  return diffs.map(({ path, before, after }) => unifiedDiff(ruledPath(directory, path), before, after).diff).join("");
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** A call that the program asks about, in the words of Parley's rules. */
export function permissionOf(call: Fields, directory: string): Permission {
  const input = inputOf(call) ?? {};
  const title = textIn(call, "title");
  const name = toolName(call);
  const edits = editorAction(call, input);
  const command = edits ? undefined : commandOf(input, directory);
  const action = edits ?? (command === undefined ? ACTIONS.get(call.kind) : "bash");
  const facts = present({ tool: name, kind: textIn(call, "kind"), diff: shownDiff(call, directory) });
  const about = { ...present({ title }), input, metadata: facts };
  if (action === "bash") {
    // A command that is told by the title alone is the title: a rule for commands must see it.
    const line = command ?? title ?? "";
    return { ...about, action, command: line, title: line, patterns: offeredPatterns(line, directory) };
  }
  if (action === "edit" || action === "read") {
    const paths = pathsOf(call, input, action).map((path) =>
      exact(ruledPath(directory, absolutePath(directory, path))),
    );
    return { ...about, action, patterns: [...new Set(paths)] };
  }
  const url = textIn(input, "url");
  if (action === "webfetch") return { ...about, action, patterns: url === undefined ? [] : [exact(hostOf(url))] };
  return { ...about, action: name, patterns: [] };
}
