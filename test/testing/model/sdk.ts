import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, type LanguageModel, type ModelMessage, streamText, tool } from "ai";
import type { Step } from "../../../src/testing/model/script.ts";
import type { ScriptedModel } from "../../../src/testing/model/server.ts";
import { startScriptedModel } from "../../../src/testing/model/server.ts";

type Fetch = typeof globalThis.fetch;

/** The real SDKs, one a wire format. */
export const SDKS: readonly { format: string; model(url: string, fetch?: Fetch): LanguageModel }[] = [
  {
    format: "anthropic",
    model: (url, fetch) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none", fetch })("claude-sonnet-4-5"),
  },
  {
    format: "responses",
    model: (url, fetch) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none", fetch }).responses("gpt-5.5"),
  },
  {
    format: "chat",
    model: (url, fetch) =>
      createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, includeUsage: true, fetch }).chatModel(
        "scripted",
      ),
  },
];

const schema = jsonSchema<Record<string, unknown>>({ type: "object", additionalProperties: true });
const TOOLS = { read: tool({ inputSchema: schema }), bash: tool({ inputSchema: schema }) };

/** One reply, as a client saw it. */
export interface Seen {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; input: unknown }[];
  /** Tools whose input began. */
  begun: string[];
  finish?: string;
  usage?: Record<string, number | undefined>;
  errors: unknown[];
}

export interface Asking {
  messages?: ModelMessage[];
  retries?: number;
  signal?: AbortSignal;
  onPart?(seen: Seen): void;
}

/** Asks by the SDK, with the whole conversation each time as a server that keeps nothing needs it. */
export async function ask(model: LanguageModel, prompt: string | ModelMessage[], asking: Asking = {}): Promise<Seen> {
  const seen: Seen = { text: "", reasoning: "", calls: [], begun: [], errors: [] };
  const messages = typeof prompt === "string" ? [{ role: "user" as const, content: prompt }] : prompt;
  const { stream } = streamText({
    model,
    messages,
    tools: TOOLS,
    maxRetries: asking.retries ?? 0,
    abortSignal: asking.signal,
    providerOptions: { openai: { store: false } },
    onError: () => {},
  });
  try {
    for await (const part of stream) {
      if (part.type === "text-delta") seen.text += part.text;
      if (part.type === "reasoning-delta") seen.reasoning += part.text;
      if (part.type === "tool-input-start") seen.begun.push(part.toolName);
      if (part.type === "tool-call") seen.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
      if (part.type === "error") seen.errors.push(part.error);
      if (part.type === "finish-step") {
        const { inputTokens, outputTokens, inputTokenDetails: of, outputTokenDetails: out } = part.usage;
        const usage = { input: inputTokens, cacheRead: of.cacheReadTokens, output: outputTokens };
        seen.usage = { ...usage, reasoning: out.reasoningTokens, cacheWrite: of.cacheWriteTokens };
        seen.finish = part.finishReason;
      }
      asking.onPart?.(seen);
    }
  } catch (thrown) {
    seen.errors.push(thrown);
  }
  return seen;
}

/** A running model with one scenario, `[[a]]`. */
export async function scenario(...a: Step[]): Promise<ScriptedModel & AsyncDisposable> {
  const model = await startScriptedModel({ script: { prompts: { a } } });
  return { ...model, [Symbol.asyncDispose]: () => model.close() };
}
