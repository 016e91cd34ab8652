import { relative } from "node:path";
import type { Task } from "../../../../core/events/values.ts";
import { present } from "../../../../core/json/fields.ts";
import type { PermissionRequest } from "../../shapes/ask.ts";
import type { AssistantMessage, FilePart, MessageError, MessageWithParts, Part } from "../../shapes/message.ts";
import type {
  CompactionReason,
  NextAssistant,
  NextContent,
  NextError,
  NextFile,
  NextMessage,
  NextPermission,
  NextPrompt,
  NextTokens,
} from "../../shapes/next.ts";
import type { Tokens } from "../../shapes/session.ts";
import { shellFacts, toolOf } from "./tool.ts";

export function errorOf({ data }: MessageError): NextError {
  return { type: "unknown", message: data.message };
}

/** Without the sum, which the newer half does not have. */
export function tokensOf({ input, output, reasoning, cache }: Tokens): NextTokens {
  return { input, output, reasoning, cache };
}

function fileOf({ url, mime, filename, source }: FilePart): NextFile {
  const text = source?.text;
  return present({
    uri: url,
    mime,
    name: filename,
    source: text && { start: text.start, end: text.end, text: text.value },
  });
}

/** A prompt's own words; those that a program added to them are left out, unless there are no others. */
export function textOf(parts: readonly Part[]): { text: string; synthetic: boolean } {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part] : []));
  const own = texts.filter(({ synthetic }) => !synthetic);
  const files = parts.some(({ type }) => type !== "text");
  const synthetic = own.length === 0 && texts.length > 0 && !files;
  return { text: (synthetic ? texts : own).map(({ text }) => text).join("\n"), synthetic };
}

export function promptOf(parts: readonly Part[]): NextPrompt {
  const files = parts.flatMap((part) => (part.type === "file" ? [fileOf(part)] : []));
  const agents = parts.flatMap((part) =>
    part.type === "agent"
      ? [present({ name: part.name, source: part.source && sourceOf(part.source) })]
      : part.type === "subtask"
        ? [{ name: part.agent }]
        : [],
  );
  return present({
    text: textOf(parts).text,
    files: files.length === 0 ? undefined : files,
    agents: agents.length === 0 ? undefined : agents,
  });
}

function sourceOf({ value, start, end }: { value: string; start: number; end: number }): {
  start: number;
  end: number;
  text: string;
} {
  return { start, end, text: value };
}

/** Whether nobody typed a message: it is a program's. */
export function isSynthetic(parts: readonly Part[]): boolean {
  return textOf(parts).synthetic;
}

function contentOf(part: Part, created: number): NextContent[] {
  if (part.type === "text") return [{ type: "text", id: part.id, text: part.text }];
  if (part.type === "tool") return [toolOf(part, created)];
  if (part.type !== "reasoning") return [];
  const { start, end } = part.time;
  return [{ type: "reasoning", id: part.id, text: part.text, time: present({ created: start, completed: end }) }];
}

/** The files that a step changed, as they are named from the directory. */
export function changedIn(parts: Iterable<Part>, directory: string): string[] {
  return [...parts]
    .flatMap((part) => (part.type === "patch" ? part.files : []))
    .map((file) => relative(directory, file));
}

function assistantOf(info: AssistantMessage, parts: readonly Part[]): NextAssistant {
  const { id, time, agent, modelID, providerID, error, cost, tokens } = info;
  const { created, completed } = time;
  const ended =
    completed === undefined || error
      ? {}
      : { snapshot: { files: changedIn(parts, info.path.cwd) }, cost, tokens: tokensOf(tokens) };
  return present({
    id,
    type: "assistant",
    time: present({ created, completed }),
    agent,
    model: { id: modelID, providerID },
    content: parts.flatMap((part) => contentOf(part, created)),
    ...ended,
    finish: error ? "error" : completed === undefined ? undefined : finishOf(info),
    error: error && errorOf(error),
  });
}

export function finishOf({ finish }: AssistantMessage): string {
  return finish ?? "unknown";
}

export function reasonOf(task: Task | undefined): CompactionReason {
  return task?.type === "compact" && !task.auto ? "manual" : "auto";
}

export function summaryOf(parts: Iterable<Part>): string {
  return [...parts].flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function shellOf(info: AssistantMessage, parts: readonly Part[]): NextMessage[] {
  const call = parts.find((part) => part.type === "tool");
  if (!call) return [];
  const { id, time } = info;
  return [{ id, type: "shell", time: present({ ...time }), callID: call.callID, ...shellFacts(call.state) }];
}

/** The prompt of a turn, as its beginning names it. */
export type TurnPrompt = { id: string; task?: Task | undefined };

/** A message of a turn in the newer form. The prompt of a task is none: the task's result is. */
export function nextMessages({ info, parts }: MessageWithParts, prompt: TurnPrompt | undefined): NextMessage[] {
  const { id, sessionID, time } = info;
  const task = prompt?.task;
  if (info.role === "user") {
    if ((task && prompt.id === id) || parts.length === 0) return [];
    const { created } = time;
    if (isSynthetic(parts)) return [{ id, type: "synthetic", time: { created }, sessionID, text: textOf(parts).text }];
    return [{ id, type: "user", time: { created }, ...promptOf(parts) }];
  }
  if (task?.type === "shell") return shellOf(info, parts);
  if (!info.summary) return [assistantOf(info, parts)];
  const { completed } = info.time;
  if (completed === undefined || info.error) return [];
  return [
    {
      id,
      type: "compaction",
      time: { created: completed },
      reason: reasonOf(task),
      summary: summaryOf(parts),
      recent: "",
    },
  ];
}

export function nextPermission(request: PermissionRequest): NextPermission {
  const { id, sessionID, permission, patterns, always, metadata, tool } = request;
  const source = tool && ({ type: "tool", ...tool } as const);
  return present({ id, sessionID, action: permission, resources: patterns, save: always, metadata, source });
}
