import type { ToolKind } from "@agentclientprotocol/sdk/unstable";
import type { Fields } from "../../../core/json/fields.ts";

const NAMES: Readonly<Record<ToolKind, readonly string[]>> = {
  read: ["read", "view", "view_image", "notebookread", "read_file", "readfile", "ls", "list", "list_directory", "cat"],
  edit: [
    "edit",
    "write",
    "multiedit",
    "apply_patch",
    "patch",
    "notebookedit",
    "write_file",
    "edit_file",
    "create_file",
    "str_replace_editor",
    "str_replace_based_edit_tool",
  ],
  delete: ["delete", "remove", "delete_file", "rm"],
  move: ["move", "rename", "mv"],
  search: ["grep", "glob", "search", "find", "codesearch", "ripgrep", "toolsearch", "tool_search"],
  execute: [
    "bash",
    "shell",
    "exec",
    "exec_command",
    "local_shell",
    "run",
    "terminal",
    "bashoutput",
    "killshell",
    "write_stdin",
  ],
  think: [
    "task",
    "agent",
    "think",
    "todo",
    "todowrite",
    "todoread",
    "spawn_agent",
    "wait_agent",
    "send_agent",
    "sleep",
  ],
  fetch: ["webfetch", "web_fetch", "fetch", "websearch", "web_search"],
  switch_mode: ["exitplanmode", "enterplanmode", "exit_plan_mode", "plan_exit", "plan_enter"],
  other: ["skill", "question", "askuserquestion", "generate_image"],
};

const KINDS: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
);

function isKind(value: unknown): value is ToolKind {
  return typeof value === "string" && Object.hasOwn(NAMES, value);
}

/** The kind of a tool: the agent's own word for it, else by the tool's name. */
export function toolKind(name: string, metadata: Fields = {}): ToolKind {
  if (isKind(metadata.kind)) return metadata.kind;
  return KINDS.get(name.toLowerCase()) ?? "other";
}
