export { createOpenAI } from "@ai-sdk/openai";
