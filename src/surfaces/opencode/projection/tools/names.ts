/** Names that agents have for tools which OpenCode's clients show in a way of their own. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["agent", "task"],
  ["askuserquestion", "question"],
  ["command_execution", "bash"],
  ["exec", "bash"],
  ["exec_command", "bash"],
  ["fetch", "webfetch"],
  ["file_change", "apply_patch"],
  ["local_shell", "bash"],
  ["ls", "list"],
  ["multiedit", "edit"],
  ["patch", "apply_patch"],
  ["run_shell_command", "bash"],
  ["shell", "bash"],
  ["str_replace", "edit"],
  ["todo", "todowrite"],
  ["todo_write", "todowrite"],
  ["update_plan", "todowrite"],
  ["web_fetch", "webfetch"],
  ["web_search", "websearch"],
]);

const KNOWN: ReadonlySet<string> = new Set([
  "apply_patch",
  "bash",
  "edit",
  "glob",
  "grep",
  "list",
  "question",
  "read",
  "skill",
  "task",
  "todowrite",
  "webfetch",
  "websearch",
  "write",
]);

/** A tool's name in OpenCode's words; one that it has no word for stays as it is. */
export function toolName(name: string): string {
  const plain = name.toLowerCase();
  return KNOWN.has(plain) ? plain : (NAMES.get(plain) ?? name);
}
