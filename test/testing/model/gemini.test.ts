import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { scriptedFetch } from "../../../src/testing/model/fetch.ts";

const script = {
  prompts: {
    "*": [{ text: "You said: {{prompt}}" }],
    call: [
      { reasoning: "Hm.", text: "Reading.", tools: [{ name: "read_file", input: { file_path: "a" } }] },
      {
        text: "It says: {{last_tool_result}}",
        stop: "length",
        usage: { input: 10, output: 5, reasoning: 2, cacheRead: 4 },
      },
    ],
    busy: [{ fail: { status: 429, message: "slow down" } }],
  },
} as const;

const user = (text: string) => ({ role: "user", parts: [{ text }] });
const called = { role: "model", parts: [{ functionCall: { name: "read_file", args: { file_path: "a" } } }] };
const result = { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "x" } } }] };

interface Chunk {
  candidates: { content: { parts: object[] }; finishReason?: string }[];
  usageMetadata?: object;
}

async function ask(contents: object[], manner = "streamGenerateContent?alt=sse") {
  const { fetch, requests } = await scriptedFetch({ script });
  const body = JSON.stringify({ contents });
  const response = await fetch(`http://model/v1beta/models/gemini-x:${manner}`, { method: "POST", body });
  const text = await response.text();
  const chunks = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as Chunk);
  const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
  return { status: response.status, text, chunks, parts, format: requests[0]?.format };
}

describe("Gemini's format", () => {
  test("streams thoughts, words and calls, and ends with a reason and the usage", async () => {
    const first = await ask([user("[[call]] please")]);
    assert.equal(first.format, "gemini");
    assert.deepEqual(first.parts.slice(0, -1), [
      { text: "Hm.", thought: true },
      { text: "Reading." },
      { functionCall: { name: "read_file", args: { file_path: "a" } } },
    ]);
    assert.equal(first.chunks.at(-1)?.candidates[0]?.finishReason, "STOP");
    const second = await ask([user("[[call]] please"), called, result]);
    assert.deepEqual(second.parts.map((part) => (part as { text?: string }).text).join(""), "It says: x");
    assert.equal(second.chunks.at(-1)?.candidates[0]?.finishReason, "MAX_TOKENS");
    assert.deepEqual(second.chunks.at(-1)?.usageMetadata, {
      promptTokenCount: 10,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 4,
      totalTokenCount: 15,
    });
  });

  test("answers without a stream, and counts tokens", async () => {
    const whole = JSON.parse((await ask([user("hello")], "generateContent")).text) as Chunk;
    assert.deepEqual(whole.candidates[0]?.content.parts, [{ text: "You said: hello" }]);
    assert.match((await ask([user("hello")], "countTokens")).text, /"totalTokens":\d+/);
  });

  test("refuses a call without its result, and a conversation without words", async () => {
    const unanswered = await ask([user("[[call]]"), called, user("go on")]);
    assert.equal(unanswered.status, 400);
    assert.match(unanswered.text, /INVALID_ARGUMENT/);
    assert.equal((await ask([])).status, 400);
  });

  test("writes errors as the service does", async () => {
    const { status, text } = await ask([user("[[busy]]")]);
    assert.equal(status, 429);
    assert.deepEqual(JSON.parse(text), { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } });
  });
});
