import { type Encoder, type Frame, type Making, sse } from "../frames.ts";
import { openaiError } from "../openai-errors.ts";
import { joined, type Reply, type ToolPart, type Usage } from "../reply.ts";
import type { Pause, Stop } from "../script.ts";

const STOP: Record<Stop, string> = {
  end: "stop",
  tools: "tool_calls",
  length: "length",
  refusal: "content_filter",
  stop_sequence: "stop",
  pause: "stop",
  context: "length",
};

function usageOf(usage: Usage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

function call(part: ToolPart, making: Making, input: string): object {
  const id = part.id ?? making.newId("call_");
  return { id, type: "function", function: { name: part.name, arguments: input } };
}

function said(reply: Reply, kind: "text" | "reasoning"): string | null {
  const parts = reply.parts.filter((part) => part.kind === kind);
  return parts.length === 0 ? null : parts.map((part) => joined(part.pieces)).join("");
}

function tools(reply: Reply): ToolPart[] {
  return reply.parts.filter((part) => part.kind === "tool");
}

/** Writes replies of the OpenAI chat completions API. */
export const chat: Encoder = {
  frames(reply, making) {
    const frames: Frame[] = [];
    const head = { id: making.newId("chatcmpl-"), object: "chat.completion.chunk", created: making.created };
    const add = (at: Frame["at"], part: number, choices: readonly object[], pause: Pause = {}, more: object = {}) => {
      const data = sse(undefined, { ...head, model: making.model, choices, ...more });
      frames.push({ at, part, data, delay: pause.delay, hold: pause.hold });
    };
    const choice = (delta: object, finish: string | null = null) => [{ index: 0, delta, finish_reason: finish }];
    add("open", -1, choice({ role: "assistant", content: "" }));
    let index = 0;
    for (const [number, part] of reply.parts.entries()) {
      if (part.kind === "tool") {
        add("bound", number, choice({ tool_calls: [{ index, ...call(part, making, "") }] }), part.pause);
      }
      for (const piece of part.pieces) {
        const { text } = piece;
        if (part.kind === "text") add("text", number, choice({ content: text }), piece);
        else if (part.kind === "reasoning") add("reasoning", number, choice({ reasoning_content: text }), piece);
        else add("tool", number, choice({ tool_calls: [{ index, function: { arguments: text } }] }), piece);
      }
      if (part.kind === "tool") index += 1;
    }
    add("end", -1, choice({}, STOP[reply.stop]), reply.finish);
    if (making.wantsUsage) add("end", -1, [], {}, { usage: usageOf(reply.usage) });
    frames.push({ at: "end", part: -1, data: sse(undefined, "[DONE]") });
    return frames;
  },
  whole(reply, making) {
    const calls = tools(reply).map((part) => call(part, making, joined(part.pieces)));
    const reasoning = said(reply, "reasoning");
    const message = {
      role: "assistant",
      content: said(reply, "text"),
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      id: making.newId("chatcmpl-"),
      object: "chat.completion",
      created: making.created,
      model: making.model,
      choices: [{ index: 0, message, finish_reason: STOP[reply.stop] }],
      usage: usageOf(reply.usage),
    };
  },
  failure: openaiError,
  errorFrame: (detail) => sse(undefined, openaiError(500, detail)),
};
