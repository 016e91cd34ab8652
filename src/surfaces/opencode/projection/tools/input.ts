import { isFields } from "../../../../core/json/fields.ts";
import { titleFrom } from "../../../../core/session-title.ts";
import { absolute } from "../file-diffs.ts";

/** OpenCode's field, and what agents call it. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  read: { filePath: ["path", "file_path", "file", "absolute_path"] },
  write: { filePath: ["path", "file_path", "file"], content: ["contents", "text", "file_text"] },
  edit: {
    filePath: ["path", "file_path", "file"],
    oldString: ["old", "old_string", "old_str", "old_text"],
    newString: ["new", "new_string", "new_str", "new_text"],
    replaceAll: ["all", "replace_all"],
  },
  bash: { command: ["cmd", "script"], workdir: ["cwd", "working_directory"] },
  grep: { pattern: ["query", "regex"], include: ["glob"] },
  glob: { pattern: ["glob"] },
  todowrite: { todos: ["plan", "entries"] },
  task: { description: ["title"], prompt: ["task", "message"], subagent_type: ["agent", "agent_type"] },
  webfetch: { url: ["uri"] },
  websearch: { query: ["q"] },
  apply_patch: { patchText: ["patch", "input"] },
};

function todo(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { content, text, step, priority } = value;
  return { ...value, content: content ?? text ?? step ?? "", priority: priority ?? "medium" };
}

function question(value: unknown): unknown {
  if (!isFields(value)) return value;
  return { ...value, header: value.header ?? "", options: value.options ?? [] };
}

function mend(field: string, value: unknown, directory: string): unknown {
  if (field === "filePath" && typeof value === "string") return absolute(directory, value);
  if (!Array.isArray(value)) return value;
  if (field === "command") return value.join(" ");
  if (field === "todos") return value.map(todo);
  return field === "questions" ? value.map(question) : value;
}

/** The input of a task with a description: its own, else the title of the call, else the beginning of the prompt. */
export function describedTask(input: Record<string, unknown>, title: string | undefined): Record<string, unknown> {
  const { description, prompt } = input;
  if (typeof description === "string" && description.trim() !== "") return input;
  const words = titleFrom(title ?? "") ?? titleFrom(typeof prompt === "string" ? prompt : "");
  return { ...input, description: words ?? "Work of its own" };
}

/**
 * A tool's input with the fields by which OpenCode's clients show it. A field that only has another name there is renamed,
 * because clients list what they do not know; all others stay. A `replaceAll` that says no is left out: the TUI would show it with each edit.
 */
export function toolInput(tool: string, input: unknown, directory: string): Record<string, unknown> {
  if (input === undefined || input === null) return {};
  if (!isFields(input)) return { input };
  const names = Object.hasOwn(FIELDS, tool) ? (FIELDS[tool] ?? {}) : {};
  const renamed = new Map<string, string>();
  for (const [field, others] of Object.entries(names)) {
    const name = field in input ? undefined : others.find((other) => other in input && !renamed.has(other));
    if (name !== undefined) renamed.set(name, field);
  }
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => {
      const field = renamed.get(name) ?? name;
      return tool === "edit" && field === "replaceAll" && value === false
        ? []
        : [[field, mend(field, value, directory)]];
    }),
  );
}
