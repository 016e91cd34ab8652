import { dirname, resolve } from "node:path";
import { type Fields, textIn } from "../../../core/json/fields.ts";
import type { PermissionSignal } from "../../../core/ledger/signals.ts";
import { exact } from "../../../core/permissions/exact.ts";
import { offeredPatterns } from "../../../core/permissions/offer.ts";
import { ruledPath } from "../../../core/permissions/paths.ts";
import { patchedFiles } from "../../patched-files.ts";
import { placedLine } from "../../placed-line.ts";
import { followed } from "./followed.ts";
import type { GateCall } from "./gate.ts";

export type Wanted = Omit<PermissionSignal, "type" | "ask" | "call">;

/** Tools that ask a person by themselves before anything happens: a rule can deny them, and nobody need be asked twice. */
const ASKING: ReadonlySet<string> = new Set(["question", "plan_enter", "plan_exit"]);
/** The call that stands for one that cannot be read, or whose tool is not there: nothing happens. */
const NOTHING = "invalid";
const CHANGES: ReadonlySet<string> = new Set(["edit", "write", "multiedit"]);

/** The field of a tool's input that its patterns are about. */
const SUBJECTS: Readonly<Record<string, string>> = {
  webfetch: "url",
  websearch: "query",
  codesearch: "query",
  task: "subagent_type",
  skill: "name",
  glob: "pattern",
  grep: "pattern",
};

function wanted(action: string, patterns: readonly string[], { tool, input }: GateCall): Wanted {
  const title = patterns.length === 0 ? action : patterns.join(", ");
  return { action, patterns: patterns.map(exact), title, input, metadata: { tool } };
}

const UNREADABLE = "it does not say which files it changes";

/** A path, and the one that it leads to by links, where that is another. */
function bothOf(path: string, directory: string): string[] {
  const whole = resolve(directory, path);
  const real = followed(whole);
  return real === whole || real === resolve(followed(directory), path) ? [whole] : [whole, real];
}

/** The directories of paths that are outside of the session's. */
function outside(paths: readonly string[], call: GateCall, directory: string): Wanted[] {
  const isOutside = (path: string): boolean => path !== directory && !path.startsWith(`${directory}/`);
  const places = [...new Set(paths.filter(isOutside).map((path) => `${dirname(path)}/*`))];
  return places.length === 0 ? [] : [wanted("external_directory", places, call)];
}

/** Files, and the directories of those that are outside of the session's. */
function files(action: string, named: readonly string[], call: GateCall, directory: string): Wanted[] {
  const paths = [...new Set(named.flatMap((path) => bothOf(path, directory)))];
  const shown = paths.map((path) => ruledPath(directory, path));
  return [...outside(paths, call, directory), wanted(action, shown, call)];
}

function command(call: GateCall, directory: string): Wanted[] {
  const place = resolve(directory, textIn(call.input, "workdir") ?? directory);
  const line = placedLine(textIn(call.input, "command") ?? "", place, directory);
  const patterns = offeredPatterns(line, directory);
  return [{ action: "bash", command: line, patterns, title: line, input: call.input, metadata: { tool: "bash" } }];
}

/** Whether a tool asks a person by itself. */
export function asksItself({ tool }: GateCall): boolean {
  return ASKING.has(tool);
}

/**
 * The permissions that the session's rules are held against before a call, in order. None for a call that no rule can be about. Throws for a call that cannot be
 * read: rules cannot be held against it.
 */
export function wantsOf(call: GateCall, directory: string): Wanted[] {
  const { tool, input } = call;
  if (tool === NOTHING) return [];
  if (tool === "bash") return command(call, directory);
  const path = textIn(input, "filePath");
  if (CHANGES.has(tool)) return files("edit", path === undefined ? [] : [path], call, directory);
  if (tool === "apply_patch" || tool === "patch") return files("edit", patched(input), call, directory);
  if (tool === "read") return files("read", path === undefined ? [] : [path], call, directory);
  if (tool === "list") return files("list", [textIn(input, "path") ?? directory], call, directory);
  const searched = tool === "glob" || tool === "grep" ? bothOf(textIn(input, "path") ?? ".", directory) : [];
  const subject = Object.hasOwn(SUBJECTS, tool) ? textIn(input, SUBJECTS[tool] ?? "") : undefined;
  const own = wanted(tool, subject === undefined ? [] : [subject], call);
  return [
    ...outside(
      searched.map((path) => `${path}/*`),
      call,
      directory,
    ),
    own,
  ];
}

function patched(input: Fields): string[] {
  const named = patchedFiles(textIn(input, "patchText") ?? textIn(input, "patch") ?? "");
  if (named.length === 0) throw new Error(UNREADABLE);
  return named;
}
