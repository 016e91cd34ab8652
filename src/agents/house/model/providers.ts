import type { LanguageModel } from "ai";
import { boundedFetch } from "./bounded-fetch.ts";
import type { Access, HouseModel } from "./models.ts";

const NO_KEY = "none";

async function messages({ url, key = NO_KEY }: Access, model: string): Promise<LanguageModel> {
  const { createAnthropic } = await import("./libraries/anthropic.ts");
  return createAnthropic({ apiKey: key, fetch: boundedFetch, ...(url ? { baseURL: url } : {}) })(model);
}

async function responses({ url, key = NO_KEY }: Access, model: string): Promise<LanguageModel> {
  const { createOpenAI } = await import("./libraries/openai.ts");
  return createOpenAI({ apiKey: key, fetch: boundedFetch, ...(url ? { baseURL: url } : {}) }).responses(model);
}

async function chat({ url = "", key, name }: Access, model: string): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("./libraries/openai-compatible.ts");
  const options = { name, baseURL: url, includeUsage: true, fetch: boundedFetch };
  return createOpenAICompatible({ ...options, ...(key ? { apiKey: key } : {}) })(model);
}

const FORMATS = { messages, responses, chat } as const;

/** A model ready to be called. Only the library of its own format is loaded. */
export async function loadModel({ access, model }: HouseModel): Promise<LanguageModel> {
  if (access) return FORMATS[access.format](access, model);
  const { demoModel } = await import("./demo-model.ts");
  return demoModel(model);
}
