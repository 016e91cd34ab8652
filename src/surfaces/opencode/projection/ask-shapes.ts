import { basename } from "node:path";
import { unifiedDiff } from "../../../core/diff/unified-diff.ts";
import type { EventOf } from "../../../core/events/event.ts";
import { present } from "../../../core/json/fields.ts";
import type { AskedTool, PermissionRequest, QuestionRequest } from "../shapes/ask.ts";
import { absolute } from "./file-diffs.ts";
import { toolInput } from "./tools/input.ts";
import { toolName } from "./tools/names.ts";

interface AskPlace {
  sessionID: string;
  directory: string;
  /** The call that it is about, where it is shown. */
  tool?: AskedTool;
  /** The input of that call. */
  input?: Readonly<Record<string, unknown>>;
}

/** OpenCode asks for an edit where agents ask for the tool that does it. */
const EDITS: ReadonlySet<string> = new Set(["write", "apply_patch"]);

function permissionName(action: string): string {
  const name = toolName(action);
  return EDITS.has(name) ? "edit" : name;
}

/** The file of an edit, where the dialog looks for it. */
function fileOf(patterns: readonly string[], input: Readonly<Record<string, unknown>>, directory: string): unknown {
  const [pattern] = patterns;
  return input.filePath ?? (pattern === undefined ? undefined : absolute(directory, pattern));
}

const MAX_DIFF = 200_000;

/** The diff of an edit, for a dialog, where the agent gave none: the tool's input has the text, but not its place in the file. */
function diffOf(input: Readonly<Record<string, unknown>>, file: unknown): string | undefined {
  const { oldString, newString, content } = input;
  if (typeof file !== "string") return undefined;
  const before = typeof oldString === "string" ? oldString : undefined;
  const after = typeof newString === "string" ? newString : content;
  if (typeof after !== "string" || (before ?? "").length + after.length > MAX_DIFF) return undefined;
  return unifiedDiff(basename(file), before, after).diff;
}

export function permissionRequest(
  request: EventOf<"permission.requested">["data"],
  { sessionID, directory, tool, input: known }: AskPlace,
): PermissionRequest {
  const { ask, action, command, patterns, title, metadata, options } = request;
  const permission = permissionName(action);
  const input = known ?? toolInput(toolName(action), request.input, directory);
  const filepath = permission === "edit" ? fileOf(patterns, input, directory) : undefined;
  // An edit shows its diff; what would be written is in the call.
  const shown = permission === "edit" ? { title, filepath, diff: diffOf(input, filepath) } : { ...input, title };
  return present({
    id: ask,
    sessionID,
    permission,
    patterns: command === undefined ? patterns : [command],
    metadata: { ...present(shown), ...metadata },
    always: options.some(({ kind }) => kind === "always") ? (patterns.length === 0 ? ["*"] : patterns) : [],
    tool,
  });
}

export function questionRequest(
  { ask, questions }: EventOf<"question.requested">["data"],
  { sessionID, tool }: AskPlace,
): QuestionRequest {
  const shown = questions.map(({ question, header, options, multiple, custom }, at) =>
    present({
      question,
      header: header ?? (questions.length === 1 ? "Question" : `Question ${at + 1}`),
      options: options.map(({ label, description = "" }) => ({ label, description })),
      multiple,
      custom,
    }),
  );
  return present({ id: ask, sessionID, questions: shown, tool });
}
