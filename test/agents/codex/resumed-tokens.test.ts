import assert from "node:assert/strict";
import { test } from "node:test";
import { newDecodeState } from "../../../src/agents/codex/decode/state.ts";
import { opened } from "../../../src/agents/codex/decode/written.ts";
import { decodeLine } from "../../../src/agents/codex/decode.ts";
import type { Usage } from "../../../src/core/events/values.ts";

const thread = "thr_1";
const turn = "01a1e12d-dbb6-7cb0-ba15-03835512a1ca";

const count = (input: number, cached: number, output: number) => ({
  totalTokens: input + output,
  inputTokens: input,
  cachedInputTokens: cached,
  cacheWriteInputTokens: 0,
  outputTokens: output,
  reasoningOutputTokens: 0,
});

/** The usage of a turn in a thread that was resumed, by the counts that the program tells in it. */
function usageAfter(...counts: { total: object; last: object }[]): Usage | undefined {
  const lines = [
    { method: "turn/started", params: { threadId: thread, turn: { id: turn } } },
    ...counts.map((tokenUsage) => ({
      method: "thread/tokenUsage/updated",
      params: { threadId: thread, turnId: turn, tokenUsage },
    })),
    { method: "turn/completed", params: { threadId: thread, turn: { id: turn, status: "completed" } } },
  ];
  let state = opened(newDecodeState("/work", "start1"), thread, true);
  const said = lines.flatMap((line) => {
    const decoded = decodeLine(state, JSON.stringify(line), 0);
    state = decoded.state;
    return decoded.said;
  });
  const end = said.map(({ signal }) => signal).find((signal) => signal.type === "turn.finished");
  return end?.type === "turn.finished" ? end.usage : undefined;
}

test("a thread whose count was not told when it was resumed does not cost its past once more", () => {
  const usage = usageAfter(
    { total: count(901_000, 800_100, 9_050), last: count(1_000, 100, 50) },
    { total: count(902_000, 800_300, 9_100), last: count(1_000, 200, 50) },
  );
  assert.deepEqual(usage?.tokens, { input: 1_700, output: 100, reasoning: 0, cacheRead: 300, cacheWrite: 0 });
});
