import { type Encoder, type ErrorDetail, type Frame, type Making, sse } from "../frames.ts";
import { joined, type Part, type Reply, type Usage } from "../reply.ts";
import type { Pause, Stop } from "../script.ts";

const STOP: Record<Stop, string> = {
  end: "STOP",
  tools: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  stop_sequence: "STOP",
  pause: "STOP",
  context: "MAX_TOKENS",
};

/** Names of errors by their status. */
const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function usageOf({ input, output, reasoning, cacheRead }: Usage): object {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: input + output,
  };
}

function inputOf(part: Extract<Part, { kind: "tool" }>): object {
  return typeof part.input === "string" ? { input: part.input } : part.input;
}

function partOf(part: Part, words: string): object {
  if (part.kind === "tool") {
    const { id, name } = part;
    return { functionCall: { ...(id === undefined ? {} : { id }), name, args: inputOf(part) } };
  }
  return part.kind === "reasoning" ? { text: words, thought: true } : { text: words };
}

function chunk(making: Making, parts: readonly object[], more: object = {}, end: object = {}): object {
  const candidate = { content: { role: "model", parts }, index: 0, ...more };
  return { candidates: [candidate], modelVersion: making.model, responseId: making.newId("resp_"), ...end };
}

function failure(status: number, { message, type }: ErrorDetail): object {
  return { error: { code: status, message, status: type ?? STATUS[status] ?? "INTERNAL" } };
}

function ended(reply: Reply): [more: object, end: object] {
  return [{ finishReason: STOP[reply.stop] }, { usageMetadata: usageOf(reply.usage) }];
}

/** Writes replies of the Gemini API. A call is one piece: the API does not send it in parts. */
export const gemini: Encoder = {
  frames(reply, making) {
    const frames: Frame[] = [];
    const add = (at: Frame["at"], part: number, data: object, pause: Pause = {}) =>
      frames.push({ at, part, data: sse(undefined, data), delay: pause.delay, hold: pause.hold });
    for (const [number, part] of reply.parts.entries()) {
      if (part.kind === "tool") add("tool", number, chunk(making, [partOf(part, "")]), part.pause);
      else for (const piece of part.pieces) add(part.kind, number, chunk(making, [partOf(part, piece.text)]), piece);
    }
    add("end", -1, chunk(making, [{ text: "" }], ...ended(reply)), reply.finish);
    return frames;
  },
  whole(reply, making) {
    const parts = reply.parts.map((part) => partOf(part, joined(part.pieces)));
    return chunk(making, parts, ...ended(reply));
  },
  failure,
  errorFrame: (detail) => sse(undefined, failure(500, detail)),
};
