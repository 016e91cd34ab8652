import type { ToolCallItem } from "../../src/core/events/items.ts";
import { type Fields, isFields, textIn } from "../../src/core/json/fields.ts";

/** A piece of a call's input, shown as what it is. */
export type InputBlock =
  | { kind: "command"; text: string }
  | { kind: "text"; label?: string; text: string }
  | { kind: "code"; path?: string; text: string }
  | { kind: "change"; path?: string; before: string; after: string }
  | { kind: "json"; text: string };

/** A tool call in words: the tool, what it is used on, and the rest of its input. */
export interface ToolView {
  label: string;
  subject: string;
  blocks: InputBlock[];
}

const LABELS: readonly (readonly [RegExp, string])[] = [
  [/^(bash|shell|local_shell|exec|exec_command|execute|run_shell_command|run_terminal_cmd|terminal)$/, "Run"],
  [/^(read|read_file|view|view_image|cat|readmanyfiles)$/, "Read"],
  [/^(edit|multiedit|apply_patch|patch|replace|str_replace|update|notebookedit)$/, "Edit"],
  [/^(write|write_file|create|create_file)$/, "Write"],
  [/^(grep|glob|search|find|list|ls|codesearch|search_file_content|list_directory)$/, "Search"],
  [/^(webfetch|web_fetch|fetch)$/, "Fetch"],
  [/^(websearch|web_search|google_web_search)$/, "Search the web"],
  [/^(task|agent|spawn_agent)$/, "Sub-agent"],
  [/^(todo|todowrite|todo_write|todoread|update_plan|taskcreate|taskupdate|tasklist)$/, "Plan"],
  [/^(question|askuserquestion|ask)$/, "Ask"],
  [/^(exitplanmode|plan_exit)$/, "Propose a plan"],
];

function labelOf(name: string): string {
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  if (mcp) return `${mcp[1]} › ${mcp[2]}`;
  return LABELS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1] ?? name;
}

const FILE = ["file_path", "filePath", "path", "filename", "notebook_path", "absolute_path"];
const COMMAND = ["command", "cmd", "script"];
const BEFORE = ["old_string", "oldString", "old", "old_text", "oldText"];
const AFTER = ["new_string", "newString", "new", "new_text", "newText"];
const CONTENT = ["content", "contents", "file_text"];
const PATCH = ["patch", "diff", "input"];
const SEARCH = ["pattern", "query", "regex", "glob", "q"];
const TASK = ["prompt", "message"];

function take(fields: Fields, names: readonly string[], used: Set<string>): string | undefined {
  for (const name of names) {
    const value = fields[name];
    const text =
      typeof value === "string"
        ? value
        : name === "command" && Array.isArray(value) && value.every((word) => typeof word === "string")
          ? value.join(" ")
          : undefined;
    if (text === undefined) continue;
    used.add(name);
    return text;
  }
  return undefined;
}

function blocksOf(fields: Fields, used: Set<string>): { blocks: InputBlock[]; subject: string | undefined } {
  const blocks: InputBlock[] = [];
  const command = take(fields, COMMAND, used);
  if (command !== undefined) blocks.push({ kind: "command", text: command });
  const path = take(fields, FILE, used);
  const named = path === undefined ? {} : { path };
  const before = take(fields, BEFORE, used);
  const after = take(fields, AFTER, used);
  if (after !== undefined || before !== undefined)
    blocks.push({ kind: "change", ...named, before: before ?? "", after: after ?? "" });
  const content = take(fields, CONTENT, used);
  if (content !== undefined) blocks.push({ kind: "code", ...named, text: content });
  const patch = take(fields, PATCH, used);
  if (patch !== undefined) blocks.push({ kind: "code", path: "a.diff", text: patch });
  const task = take(fields, TASK, used);
  if (task !== undefined) blocks.push({ kind: "text", text: task });
  const search = take(fields, SEARCH, used);
  const url = take(fields, ["url"], used);
  return { blocks, subject: command ?? search ?? url ?? path };
}

/** Says a path from the session's directory on, where it lies there. */
export function shortPath(path: string, directory: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

function oneLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line === text.trim() ? line : `${line} …`;
}

/** What a call does, for its line and for the details below it. */
export function toolView(
  { name, title, input }: Pick<ToolCallItem, "name" | "title" | "input">,
  directory: string,
): ToolView {
  const label = labelOf(name);
  if (typeof input === "string")
    return { label, subject: title ?? oneLine(input), blocks: [{ kind: "code", text: input }] };
  const fields = isFields(input) ? input : {};
  const used = new Set<string>();
  const { blocks, subject } = blocksOf(fields, used);
  const said = textIn(fields, "description");
  if (said !== undefined) used.add("description");
  const rest = Object.entries(fields).filter(([key, value]) => !used.has(key) && value !== null && value !== undefined);
  if (rest.length > 0) blocks.push({ kind: "json", text: JSON.stringify(Object.fromEntries(rest), null, 2) });
  const named = title && title !== name ? title : (subject ?? said ?? "");
  return { label, subject: oneLine(shortPath(named, directory)), blocks };
}
