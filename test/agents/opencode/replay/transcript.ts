import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import { type Fields, fieldsIn, textIn } from "../../../../src/core/json/fields.ts";
import { completed } from "../../../support/agent-stage.ts";
import type { Kept } from "./recorded-server.ts";

/** The content of a conversation, one line for each text, thought and call, in an order that does not depend on losses. */
export type Transcript = string[];

const LEFT_OPEN = "interrupted: the turn ended before the tool did";

const words = (text: unknown): string => String(text ?? "").trimEnd();

/** A call that was stopped before the model had named its input has none. */
function call(name: unknown, status: unknown, input: unknown, output: unknown): string {
  return `call ${name} ${status} ${JSON.stringify(input ?? {})} -> ${words(output)}`;
}

/** As Parley tells it. */
export function toldIn(events: readonly ParleyEvent[]): Transcript {
  const texts = completed(events, "message").filter(
    ({ role, status }) => role === "assistant" && status !== "retracted",
  );
  const thoughts = completed(events, "reasoning").filter(({ status }) => status !== "retracted");
  const results = new Map(completed(events, "tool_result").map((item) => [item.call, item]));
  const calls = completed(events, "tool_call").map((item) => {
    const output =
      item.status === "failed"
        ? (item.error as { message?: string } | undefined)?.message
        : results.get(item.call)?.text;
    return call(item.name, item.status, item.input, output);
  });
  return [
    ...texts.map((item) => `text ${words(item.text)}`),
    ...thoughts.map((item) => `reasoning ${words(item.text)}`),
    ...calls,
  ]
    .filter((line) => line !== "text " && line !== "reasoning ")
    .sort();
}

/** The state of a call at its end. One that OpenCode left open when it was stopped is failed by Parley, with the end of its turn. */
function endOf(state: Fields): Fields {
  const isOpen = state.status === "pending" || state.status === "running";
  return isOpen ? { ...state, status: "error", error: LEFT_OPEN } : state;
}

function keptLine(part: Fields): string[] {
  const text = words(textIn(part, "text"));
  if (part.type === "text" || part.type === "reasoning") return text === "" ? [] : [`${part.type} ${text}`];
  if (part.type !== "tool") return [];
  const state = endOf(fieldsIn(part, "state"));
  // A call of a tool that is not there is kept under the name of the tool that says so.
  const name = part.tool === "invalid" ? fieldsIn(state, "input").tool : part.tool;
  if (state.status === "error") return [call(name, "failed", state.input, state.error)];
  return [call(name, state.status, state.input, state.output)];
}

/** As OpenCode keeps it. */
export function keptIn(messages: readonly Kept[]): Transcript {
  const own = messages.filter(({ info }) => info.role === "assistant");
  return own.flatMap(({ parts }) => parts.flatMap(keptLine)).sort();
}
