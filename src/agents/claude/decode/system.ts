import { withEntry } from "../../../core/entries.ts";
import { type Fields, fieldsIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import { onBackgroundTasks, onTaskNotification, onTaskProgress, onTaskStarted, onTaskUpdated } from "./children.ts";
import { finishIfIdle, onTurnLine } from "./result.ts";
import { inMode, type Reading } from "./state.ts";

/** Kinds of lines that are passed over: hooks, persistence, figures that come again with a `result`. */
const SILENT: ReadonlySet<string> = new Set([
  "thinking_tokens",
  "model_refusal_no_fallback",
  "model_refusal_fallback",
  "hook_started",
  "hook_progress",
  "hook_response",
  "files_persisted",
  "commands_changed",
  "memory_recall",
  "elicitation_complete",
  "plugin_install",
  "mirror_error",
  "worker_shutting_down",
  "control_request_progress",
  "post_turn_summary",
]);

type Handler = (reading: Reading, line: Fields) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  init: onInit,
  session_state_changed: onSessionState,
  status: onStatus,
  api_retry: onRetry,
  compact_boundary: onCompacted,
  permission_denied: onDenied,
  task_started: onTaskStarted,
  task_progress: onTaskProgress,
  task_updated: onTaskUpdated,
  task_notification: onTaskNotification,
  background_tasks_changed: onBackgroundTasks,
  session_writes_lost: onWritesLost,
  local_command_output: onRemark,
  informational: onRemark,
  notification: onRemark,
};

/** False for a line of a kind that is not known. */
export function onSystem(reading: Reading, line: Fields): boolean {
  const subtype = textIn(line, "subtype") ?? "";
  if (SILENT.has(subtype)) return true;
  const handler = Object.hasOwn(HANDLERS, subtype) ? HANDLERS[subtype] : undefined;
  handler?.(reading, line);
  return handler !== undefined;
}

/** The list of models has short names; the program says what they stand for. */
function modelName(reading: Reading, model: string): string {
  learnName(reading, model);
  const { chosen, aliases } = reading.state;
  if (chosen !== undefined && (aliases.get(chosen) ?? chosen) === model) return chosen;
  return [...aliases].find(([, resolved]) => resolved === model)?.[0] ?? model;
}

/**
 * A chosen name that the list lacks stands for the model that the program uses at first: an alias for its newest model, the name of a model that is no longer
 * served for its successor. Only the latter is worth a note: the user named that very model.
 */
function learnName(reading: Reading, model: string): void {
  const { chosen, served, aliases } = reading.state;
  if (chosen === undefined || served === chosen) return;
  reading.patch({ served: chosen, aliases: aliases.has(chosen) ? aliases : withEntry(aliases, chosen, model) });
  if (!chosen.startsWith("claude-") || model.includes(chosen)) return;
  reading.say({ type: "note", level: "info", text: `Claude Code uses ${model} for the model ${chosen}` });
}

/** Begins each of the program's turns. The session's id changes when the conversation is cleared. */
function onInit(reading: Reading, line: Fields): void {
  const native = textIn(line, "model");
  reading.patch({ model: native });
  const model = native === undefined ? undefined : modelName(reading, native);
  const mode = textIn(line, "permissionMode");
  if (mode !== undefined) reading.state = inMode(reading.state, mode);
  reading.say({ type: "session", ...present({ nativeId: textIn(line, "session_id"), model, mode }) });
  onTurnLine(reading, textIn(line, "uuid") ?? "turn");
}

function onSessionState(reading: Reading, line: Fields): void {
  reading.patch({ idle: line.state === "idle" });
  finishIfIdle(reading);
}

function onStatus(reading: Reading, line: Fields): void {
  const mode = textIn(line, "permissionMode");
  if (mode !== undefined) {
    reading.state = inMode(reading.state, mode);
    reading.say({ type: "session", mode });
  }
  if (line.status === "compacting") reading.say({ type: "status", status: "compacting" });
  if (line.status === "requesting" || line.compact_result !== undefined)
    reading.say({ type: "status", status: "running" });
  if (line.compact_result === "failed") {
    const why = textIn(line, "compact_error") ?? "no reason was given";
    reading.say({ type: "note", level: "warn", code: "compact_failed", text: `compacting failed: ${why}` });
  }
}

function onRetry(reading: Reading, line: Fields): void {
  const attempt = numberIn(line, "attempt") ?? 1;
  const status = numberIn(line, "error_status");
  const error = textIn(line, "error") ?? "unknown";
  const most = numberIn(line, "max_retries");
  const message = `${error}${status === undefined ? "" : ` (${status})`}${most === undefined ? "" : `, retry ${attempt} of ${most}`}`;
  const next = reading.now + Math.round(numberIn(line, "retry_delay_ms") ?? 0);
  reading.say({ type: "status", status: "retrying", attempt, message, next });
}

function onCompacted(reading: Reading, line: Fields): void {
  const facts = fieldsIn(line, "compact_metadata");
  const sizes = [numberIn(facts, "pre_tokens"), numberIn(facts, "post_tokens")];
  const from = sizes.includes(undefined) ? "" : `: ${sizes[0]} tokens became ${sizes[1]}`;
  reading.say({ type: "note", level: "info", code: "compacted", text: `the conversation was compacted${from}` });
}

/** The mode refused a call; its result follows and tells why. */
function onDenied(reading: Reading, line: Fields): void {
  const call = textIn(line, "tool_use_id");
  if (call !== undefined) reading.patch({ refused: new Set([...reading.state.refused, call]) });
}

/** The program's own record of the conversation has a hole: it may remember less when it resumes the session. */
function onWritesLost(reading: Reading, line: Fields): void {
  const why = textIn(line, "error_code") ?? "no reason was given";
  const text = `Claude Code could not save its own record of the conversation (${why}): it may remember less when it is started again`;
  reading.say({ type: "note", level: "warn", code: "session_writes_lost", text });
}

function onRemark(reading: Reading, line: Fields): void {
  const text = textIn(line, "content") ?? textIn(line, "message") ?? textIn(line, "text");
  if (text) reading.say({ type: "note", level: "info", text });
}
