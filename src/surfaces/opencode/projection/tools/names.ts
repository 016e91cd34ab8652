/** OpenCode's tools, which its clients show in a way of their own, each with the names that agents have for it. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  apply_patch: ["file_change", "patch"],
  bash: ["command_execution", "exec", "exec_command", "local_shell", "run_shell_command", "shell"],
  edit: ["multiedit", "str_replace"],
  glob: [],
  grep: [],
  list: ["ls"],
  question: ["askuserquestion"],
  read: [],
  skill: [],
  task: ["agent"],
  todowrite: ["todo", "todo_write", "update_plan"],
  webfetch: ["fetch", "web_fetch"],
  websearch: ["web_search"],
  write: [],
};

const NAMES = new Map(Object.entries(TOOLS).flatMap(([tool, others]) => [tool, ...others].map((name) => [name, tool])));

/** A tool's name in OpenCode's words; one that it has no word for stays as it is. */
export function toolName(name: string): string {
  return NAMES.get(name.toLowerCase()) ?? name;
}
