import { resolve } from "node:path";
import { type Fields, present, textIn } from "../../../core/json/fields.ts";
import type { PermissionSignal, ToolSeen } from "../../../core/ledger/signals.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { offeredPatterns } from "../../../core/permissions/offer.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import { patchedFiles } from "../../patched-files.ts";
import { placedLine } from "../../placed-line.ts";
import type { HookCall } from "./hook.ts";
import { patchedByLine } from "./patch.ts";

type Permission = Omit<PermissionSignal, "type" | "ask" | "call">;

/** A call as clients see it, and the permissions that rules are held against, in order. */
export interface Described {
  seen: Pick<ToolSeen, "name" | "title" | "input">;
  wants: readonly [Permission, ...Permission[]];
  /** The program tells of the call by an item of its own when it makes it. */
  hasItem: boolean;
}

function edit(files: readonly string[], call: HookCall, directory: string): Permission {
  const paths = files.map((file) => ruledPath(directory, resolve(call.directory, file)));
  const title = paths.length === 0 ? "files" : paths.join(", ");
  return { action: "edit", patterns: paths.map(exact), title, input: { paths }, metadata: { tool: "apply_patch" } };
}

function command(call: HookCall, directory: string): Described {
  const text = textIn(call.input, "command") ?? "";
  // The model's own words: a shell in them is one that the model names, and may be no shell.
  const line = placedLine(text, call.directory, directory);
  const input = { command: line, cwd: call.directory };
  const bash: Permission = {
    action: "bash",
    command: line,
    patterns: offeredPatterns(line, directory),
    title: line,
    input,
    metadata: { tool: "shell" },
  };
  // The program applies a patch in a command by itself, as if it were a call for that.
  const files = patchedByLine(text, call.directory);
  const wants: Described["wants"] = files.length === 0 ? [bash] : [bash, edit(files, call, directory)];
  return { seen: { name: "shell", title: line, input }, wants, hasItem: true };
}

function patch(call: HookCall, directory: string): Described {
  const files = patchedFiles(textIn(call.input, "command") ?? textIn(call.input, "input") ?? "");
  const wanted = edit(files, call, directory);
  return {
    seen: { name: "apply_patch", ...present({ title: wanted.title }), input: wanted.input },
    wants: [wanted],
    hasItem: true,
  };
}

function picture(call: HookCall, directory: string): Described {
  const path = ruledPath(directory, resolve(call.directory, textIn(call.input, "path") ?? ""));
  const wanted = {
    action: "read",
    patterns: [exact(path)],
    title: path,
    input: { path },
    metadata: { tool: "view_image" },
  };
  return { seen: { name: "view_image", title: path, input: { path } }, wants: [wanted], hasItem: true };
}

/** The program writes the group of a tool before its name. */
const GROUP = /^(?:collaboration|multi_agent_v\d+)_?(?=[a-z])/;

function other({ tool, input }: HookCall, meant: readonly string[]): Described {
  const [name = tool.replace(GROUP, ""), ...others] = meant;
  const wanted = (action: string): Permission => ({
    action,
    patterns: [],
    title: titleOf(action, input),
    input,
    metadata: { tool: action },
  });
  const seen = { name, title: titleOf(name, input), input };
  return { seen, wants: [wanted(name), ...others.map(wanted)], hasItem: name.startsWith("mcp__") };
}

function titleOf(name: string, input: Fields): string {
  return textIn(input, "task_name") ?? textIn(input, "query") ?? name;
}

/** `meant`: the names of the server's tools that the call may be for. */
export function describeCall(call: HookCall, directory: string, meant: readonly string[] = []): Described {
  if (call.tool === "Bash") return command(call, directory);
  if (call.tool === "apply_patch") return patch(call, directory);
  return call.tool === "view_image" ? picture(call, directory) : other(call, meant);
}
