import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";

/** The tools that clients show in a way of their own, by the kind that an agent tells. */
const BY_KIND: Readonly<Record<string, string>> = {
  read: "read",
  edit: "edit",
  delete: "delete",
  move: "move",
  search: "grep",
  execute: "bash",
  think: "think",
  fetch: "webfetch",
  switch_mode: "switch_mode",
};

/** Some agents tell a tool's name as the title before they know more. These are names for certain. */
const TITLES: ReadonlySet<string> = new Set([
  ...[
    "bash",
    "shell",
    "read",
    "edit",
    "write",
    "multiedit",
    "patch",
    "apply_patch",
    "glob",
    "grep",
    "list",
    "webfetch",
  ],
  ...["websearch", "task", "todowrite", "todoread", "skill", "question"],
]);

/** A title of a call of no known kind that can be nothing but a name, such as that of a server's tool. */
const NAME = /^[a-z][a-z0-9]*(?:[_-]+[a-z0-9]+)+$/i;

/** Names of a shell's tool; with another kind the agent has read the command and says what it is for. */
const SHELLS: ReadonlySet<string> = new Set(["exec_command", "shell", "local_shell"]);
const SHELL_KINDS: ReadonlySet<string> = new Set(["execute", "other"]);

function toldName(call: Fields): string | undefined {
  const meta = fieldsIn(call, "_meta");
  return (
    textIn(call, "name") || textIn(fieldsIn(meta, "claudeCode"), "toolName") || textIn(meta, "toolName") || undefined
  );
}

/** The name of a call's tool: the agent's own where it tells one, else by the call's kind. */
export function toolName(call: Fields): string {
  const kind = textIn(call, "kind") ?? "other";
  const byKind = Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : undefined;
  const told = toldName(call);
  const hasCommand = fieldsIn(call, "rawInput").command !== undefined;
  if (told !== undefined && SHELLS.has(told) && !hasCommand && !SHELL_KINDS.has(kind)) return byKind ?? told;
  if (told !== undefined) return told;
  const title = textIn(call, "title") ?? "";
  if (TITLES.has(title) || (byKind === undefined && NAME.test(title) && title.length <= 64)) return title;
  return byInput(kind, fieldsIn(call, "rawInput")) ?? byKind ?? "other";
}

/** A kind that stands for several tools is told apart by what the call is given. */
function byInput(kind: string, input: Fields): string | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => textIn(input, name) !== undefined);
  if (kind === "edit" && has("content") && !has("oldString", "old_string", "newString", "new_string")) return "write";
  if (kind === "think" && has("subagent_type", "subagentType")) return "task";
  return undefined;
}
