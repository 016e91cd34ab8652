import { type Encoder, type ErrorDetail, type Frame, type Making, sse } from "../frames.ts";
import { joined, type Part, type Reply, type Usage } from "../reply.ts";
import type { Pause, Stop } from "../script.ts";

const STOP: Record<Stop, string> = {
  end: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  stop_sequence: "stop_sequence",
  pause: "pause_turn",
  context: "model_context_window_exceeded",
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Clients send it back; an empty one is refused by the real service. */
const SIGNATURE = "c2NyaXB0ZWQ=";

function usageOf(usage: Usage): object {
  return {
    input_tokens: Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite),
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...(usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
  };
}

function message(reply: Reply, making: Making, content: readonly object[], stop: string | null): object {
  const id = making.newId("msg_");
  const sequence = reply.stop === "stop_sequence" && stop !== null ? "STOP" : null;
  const { model } = making;
  const usage = usageOf(stop === null ? { ...reply.usage, output: 1, reasoning: 0 } : reply.usage);
  return { id, type: "message", role: "assistant", model, content, stop_reason: stop, stop_sequence: sequence, usage };
}

/** A part with its content, or as a stream opens it: empty. */
function block(part: Part, making: Making, whole: boolean): object {
  const said = whole ? joined(part.pieces) : "";
  if (part.kind === "text") return { type: "text", text: said };
  if (part.kind === "reasoning") return { type: "thinking", thinking: said, signature: whole ? SIGNATURE : "" };
  const id = part.id ?? making.newId("toolu_");
  return { type: "tool_use", id, name: part.name, input: whole ? part.input : {} };
}

function delta(kind: Part["kind"], said: string): object {
  if (kind === "text") return { type: "text_delta", text: said };
  if (kind === "reasoning") return { type: "thinking_delta", thinking: said };
  return { type: "input_json_delta", partial_json: said };
}

/** Writes replies of the Anthropic Messages API. */
export const anthropic: Encoder = {
  frames(reply, making) {
    const frames: Frame[] = [];
    const add = (at: Frame["at"], part: number, type: string, data: object, pause: Pause = {}) =>
      frames.push({ at, part, data: sse(type, { type, ...data }), delay: pause.delay, hold: pause.hold });
    add("open", -1, "message_start", { message: message(reply, making, [], null) });
    for (const [index, part] of reply.parts.entries()) {
      const start = part.kind === "tool" ? part.pause : {};
      add("bound", index, "content_block_start", { index, content_block: block(part, making, false) }, start);
      for (const piece of part.pieces) {
        add(part.kind, index, "content_block_delta", { index, delta: delta(part.kind, piece.text) }, piece);
      }
      if (part.kind === "reasoning") {
        const signature = { type: "signature_delta", signature: SIGNATURE };
        add("bound", index, "content_block_delta", { index, delta: signature });
      }
      add("bound", index, "content_block_stop", { index });
    }
    const ending = { stop_reason: STOP[reply.stop], stop_sequence: reply.stop === "stop_sequence" ? "STOP" : null };
    add("end", -1, "message_delta", { delta: ending, usage: usageOf(reply.usage) }, reply.finish);
    add("end", -1, "message_stop", {});
    return frames;
  },
  whole(reply, making) {
    const content = reply.parts.map((part) => block(part, making, true));
    return message(reply, making, content, STOP[reply.stop]);
  },
  failure(status, detail) {
    return error(detail, ERROR_TYPES[status] ?? "api_error");
  },
  errorFrame(detail) {
    return sse("error", error(detail, "api_error"));
  },
};

function error({ message, type }: ErrorDetail, usual: string): object {
  return { type: "error", error: { type: type ?? usual, message } };
}
