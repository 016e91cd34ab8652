import { type Encoder, type Frame, type Making, sse } from "../frames.ts";
import { openaiError } from "../openai-errors.ts";
import type { Reply, Usage } from "../reply.ts";
import type { Pause, Stop } from "../script.ts";
import { writtenOf } from "./items.ts";

/** Why a response is incomplete; one that ends in any other way is complete. */
const INCOMPLETE: Partial<Record<Stop, string>> = {
  length: "max_output_tokens",
  context: "max_output_tokens",
  refusal: "content_filter",
};

function usageOf(usage: Usage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

function begun(making: Making): object {
  const { model, created } = making;
  const none = { error: null, incomplete_details: null, usage: null };
  return { id: making.newId("resp_"), object: "response", created_at: created, model, output: [], ...none };
}

function ended(response: object, reply: Reply, output: readonly object[]): object {
  const reason = INCOMPLETE[reply.stop];
  const status = reason === undefined ? "completed" : "incomplete";
  const details = reason === undefined ? null : { reason };
  return { ...response, status, incomplete_details: details, output, usage: usageOf(reply.usage) };
}

/** Writes replies of the OpenAI Responses API. */
export const responses: Encoder = {
  frames(reply, making) {
    const frames: Frame[] = [];
    const add = (at: Frame["at"], part: number, name: string, data: object, pause: Pause = {}) => {
      const type = `response.${name}`;
      const numbered = { type, sequence_number: frames.length, ...data };
      frames.push({ at, part, data: sse(type, numbered), delay: pause.delay, hold: pause.hold });
    };
    const response = begun(making);
    add("open", -1, "created", { response: { ...response, status: "in_progress" } });
    add("open", -1, "in_progress", { response: { ...response, status: "in_progress" } });
    const output: object[] = [];
    for (const [index, part] of reply.parts.entries()) {
      const item = writtenOf(part, making);
      const within = { output_index: index };
      add("bound", index, "output_item.added", { ...within, item: item.begun }, part.kind === "tool" ? part.pause : {});
      for (const [name, data] of item.before) add("bound", index, name, { ...within, ...data });
      for (const piece of part.pieces) {
        if (item.piece === undefined) break;
        const [name, data] = item.piece(piece.text);
        add(part.kind, index, name, { ...within, ...data }, piece);
      }
      for (const [name, data] of item.after) add("bound", index, name, { ...within, ...data });
      add("bound", index, "output_item.done", { ...within, item: item.done });
      output.push(item.done);
    }
    const last = ended(response, reply, output);
    add("end", -1, reply.stop in INCOMPLETE ? "incomplete" : "completed", { response: last }, reply.finish);
    return frames;
  },
  whole(reply, making) {
    const output = reply.parts.map((part) => writtenOf(part, making).done);
    return ended(begun(making), reply, output);
  },
  failure: openaiError,
  errorFrame(detail, making) {
    const type = "response.failed";
    const error = { code: detail.code ?? detail.type ?? "server_error", message: detail.message };
    const response = { ...begun(making), status: "failed", error };
    return sse(type, { type, sequence_number: FAILED_NUMBER, response });
  },
};

/** Greater than that of any frame before it, of which the error knows nothing. */
const FAILED_NUMBER = 1_000_000;
