import type { LanguageModel, ModelMessage, TextStreamPart, ToolSet } from "ai";
import type { Tool } from "../tools/tool.ts";
import type { Effort } from "./efforts.ts";
import { CutStream } from "./retry.ts";

type Sdk = typeof import("./libraries/sdk.ts");

export interface ModelRequest {
  model: LanguageModel;
  effort?: Effort | undefined;
  instructions: string;
  messages: ModelMessage[];
  tools: readonly Tool[];
  /** The longest answer, where it is known. */
  maxOutputTokens?: number;
  signal: AbortSignal;
  /** How long the model may be silent. */
  stallMs: number;
}

// Marks text for the cache: Anthropic charges a tenth for it, and other providers ignore the mark.
const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;
// The provider stores nothing of the conversation: all of it is sent each time.
const STATELESS = { store: false } as const;
// The SDK sends no effort to a model whose name it does not know, unless it is told that the model thinks.
const THINKING = { ...STATELESS, forceReasoning: true } as const;

function withCache(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, at) =>
    at === messages.length - 1 ? { ...message, providerOptions: CACHED } : message,
  );
}

function toolSet({ tool }: Sdk, tools: readonly Tool[]): ToolSet {
  // No `execute`: the SDK only reads the calls, the loop runs them.
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
  );
}

/** Rejects when the signal aborts or nothing comes for too long, whatever the stream itself does then. */
async function next<T>(read: Promise<T>, signal: AbortSignal, stallMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  const stalled = (): void => reject(new CutStream(`the model said nothing for ${Math.round(stallMs / 1000)} s`));
  const timer = setTimeout(stalled, stallMs);
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    promise.catch(() => {});
    read.catch(() => {});
  }
}

/** One call of a model, part by part. It is not repeated here: that is the loop's, which shows it. */
export async function* streamModel(sdk: Sdk, request: ModelRequest): AsyncGenerator<TextStreamPart<ToolSet>> {
  const { model, effort, instructions, messages, tools, maxOutputTokens, signal, stallMs } = request;
  const give = new AbortController();
  const result = sdk.streamText({
    model,
    instructions: { role: "system", content: instructions, providerOptions: CACHED },
    messages: withCache(messages),
    tools: toolSet(sdk, tools),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(effort === undefined ? {} : { reasoning: effort }),
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, give.signal]),
    providerOptions: { openai: effort === undefined ? STATELESS : THINKING },
    onError: () => {},
  });
  const reader = result.stream.getReader();
  try {
    for (;;) {
      const { done, value } = await next(reader.read(), signal, stallMs);
      if (done) return;
      yield value;
    }
  } finally {
    // A consumer that leaves early leaves the connection, too.
    give.abort();
    reader.cancel().catch(() => {});
  }
}
