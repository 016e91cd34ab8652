import { setTimeout as delay } from "node:timers/promises";
import type { LanguageModel } from "ai";
import { type Reply, replyTo, type Scene } from "./demo-script.ts";

type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type CallOptions = Parameters<Model["doStream"]>[0];
type StreamResult = Awaited<ReturnType<Model["doStream"]>>;
type Part = StreamResult["stream"] extends ReadableStream<infer P> ? P : never;
type Message = CallOptions["prompt"][number];

const WORD_MS = 8;
const CHARS_PER_TOKEN = 4;

/** The user's own words: attachments and remarks come after them. */
function wordsOf(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.find((part) => part.type === "text")?.text ?? "";
}

function resultsOf(message: Message): Scene["results"] {
  if (message.role !== "tool") return [];
  return message.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { type } = part.output;
    const text = "value" in part.output ? String(part.output.value) : "";
    return [{ name: part.toolName, ok: type === "text", text }];
  });
}

function sceneOf({ prompt, tools = [] }: CallOptions): Scene {
  const at = prompt.findLastIndex((message) => message.role === "user");
  const user = prompt[at];
  return {
    said: user ? wordsOf(user) : "",
    results: prompt.slice(at + 1).flatMap(resultsOf),
    tools: tools.map(({ name }) => name),
  };
}

function usage(input: number, output: number): Extract<Part, { type: "finish" }>["usage"] {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

async function* partsOf({ text, call }: Reply, options: CallOptions): AsyncGenerator<Part> {
  yield { type: "stream-start", warnings: [] };
  if (text !== undefined) {
    yield { type: "text-start", id: "text" };
    for (const delta of text.match(/\s*\S+|\s+$/g) ?? []) {
      await delay(WORD_MS, undefined, { signal: options.abortSignal });
      yield { type: "text-delta", id: "text", delta };
    }
    yield { type: "text-end", id: "text" };
  }
  if (call) {
    const input = JSON.stringify(call.input);
    yield { type: "tool-input-start", id: "call", toolName: call.name };
    yield { type: "tool-input-delta", id: "call", delta: input };
    yield { type: "tool-input-end", id: "call" };
    yield { type: "tool-call", toolCallId: "call", toolName: call.name, input };
  }
  const sizes = [JSON.stringify(options.prompt).length, (text?.length ?? 0) + JSON.stringify(call ?? "").length];
  const [input = 0, output = 0] = sizes.map((size) => Math.ceil(size / CHARS_PER_TOKEN));
  const unified = call ? "tool-calls" : "stop";
  yield { type: "finish", finishReason: { unified, raw: unified }, usage: usage(input, output) };
}

function streamOf(parts: AsyncGenerator<Part>): ReadableStream<Part> {
  return new ReadableStream<Part>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

/** A model in this process that needs no key: it follows a script, and calls tools like any other. */
export function demoModel(modelId: string): Model {
  return {
    specificationVersion: "v4",
    provider: "scripted",
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("the demo model only streams")),
    doStream: async (options) => ({ stream: streamOf(partsOf(replyTo(sceneOf(options)), options)) }),
  };
}
