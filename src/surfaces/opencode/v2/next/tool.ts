import { present } from "../../../../core/json/fields.ts";
import type { ToolPart, ToolState } from "../../shapes/message.ts";
import type { NextContent, NextError, NextToolState, ToolContent } from "../../shapes/next.ts";

const NOT_EXECUTED = { executed: false };

/** The facts of a call beside its output, which the content has. */
export function structuredOf(state: ToolState): Record<string, unknown> {
  if (state.status === "pending") return {};
  const { output: _, preview: __, ...rest } = state.metadata ?? {};
  return rest;
}

export function toolContentOf(state: ToolState): ToolContent[] {
  const shown = state.status === "completed" ? state.output : "metadata" in state ? state.metadata?.output : undefined;
  const text: ToolContent[] = typeof shown === "string" && shown !== "" ? [{ type: "text", text: shown }] : [];
  const files = state.status === "completed" ? (state.attachments ?? []) : [];
  return [
    ...text,
    ...files.map(({ url, mime, filename }) => present({ type: "file", uri: url, mime, name: filename })),
  ];
}

export function toolErrorOf(state: ToolState): NextError {
  return { type: "unknown", message: state.status === "error" ? state.error : "the tool failed" };
}

function toolStateOf(state: ToolState): NextToolState {
  if (state.status === "pending") return { status: "pending", input: "" };
  const facts = { input: state.input, structured: structuredOf(state), content: toolContentOf(state) };
  if (state.status === "running") return { status: "running", ...facts };
  if (state.status === "completed") return { status: "completed", ...facts, outputPaths: [] };
  return { status: "error", ...facts, error: toolErrorOf(state) };
}

/** A tool call in the newer form. */
export function toolOf({ callID, tool, state }: ToolPart, created: number): NextContent {
  const pending = state.status === "pending";
  const ran = pending ? undefined : state.time.start;
  const completed = pending || state.status === "running" ? undefined : state.time.end;
  return {
    type: "tool",
    id: callID,
    name: tool,
    ...(pending ? {} : { provider: NOT_EXECUTED }),
    state: toolStateOf(state),
    time: present({ created: ran ?? created, ran, completed }),
  };
}

/** A command that the user ran, and its output so far. */
export function shellFacts(state: ToolState): { command: string; output: string } {
  const { command } = state.input;
  const said = toolContentOf(state).flatMap((content) => (content.type === "text" ? [content.text] : []));
  const shown = [...said, ...(state.status === "error" ? [state.error] : [])];
  return { command: typeof command === "string" ? command : "", output: shown.join("\n") };
}
