import { readAnthropic } from "../../../src/testing/model/anthropic/read.ts";
import { readChat } from "../../../src/testing/model/chat/read.ts";
import type { Conversation } from "../../../src/testing/model/conversation.ts";
import type { Json } from "../../../src/testing/model/json.ts";
import { readResponses } from "../../../src/testing/model/responses/read.ts";

/** The conversation so far, to be written as each format writes it. */
export type Said = { user: string } | { reply: string; calls?: readonly string[] } | { result: string; call: string };

function anthropicMessages(said: readonly Said[]): object[] {
  return said.map((one) => {
    if ("user" in one) return { role: "user", content: [{ type: "text", text: one.user }] };
    if ("result" in one) {
      return { role: "user", content: [{ type: "tool_result", tool_use_id: one.call, content: one.result }] };
    }
    const calls = (one.calls ?? []).map((id) => ({ type: "tool_use", id, name: "t", input: {} }));
    return { role: "assistant", content: [{ type: "text", text: one.reply }, ...calls] };
  });
}

function chatMessages(said: readonly Said[]): object[] {
  return said.map((one) => {
    if ("user" in one) return { role: "user", content: one.user };
    if ("result" in one) return { role: "tool", tool_call_id: one.call, content: one.result };
    const calls = (one.calls ?? []).map((id) => ({ id, type: "function", function: { name: "t", arguments: "{}" } }));
    return { role: "assistant", content: one.reply, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
  });
}

function responsesInput(said: readonly Said[]): object[] {
  return said.flatMap((one): object[] => {
    if ("user" in one) return [{ role: "user", content: [{ type: "input_text", text: one.user }] }];
    if ("result" in one) return [{ type: "function_call_output", call_id: one.call, output: one.result }];
    const calls = (one.calls ?? []).map((id) => ({ type: "function_call", call_id: id, name: "t", arguments: "{}" }));
    const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: one.reply }] };
    return [{ type: "reasoning", summary: [] }, message, ...calls];
  });
}

export interface Wire {
  format: "anthropic" | "responses" | "chat";
  path: string;
  body(said: readonly Said[], more?: Json): Json;
  read(body: Json): Conversation;
}

export const WIRES: readonly Wire[] = [
  {
    format: "anthropic",
    path: "/v1/messages",
    body: (said, more) => ({ model: "m", stream: true, messages: anthropicMessages(said), ...more }),
    read: readAnthropic,
  },
  {
    format: "responses",
    path: "/v1/responses",
    body: (said, more) => ({ model: "m", stream: true, input: responsesInput(said), ...more }),
    read: readResponses,
  },
  {
    format: "chat",
    path: "/v1/chat/completions",
    body: (said, more) => ({ model: "m", stream: true, messages: chatMessages(said), ...more }),
    read: readChat,
  },
];
