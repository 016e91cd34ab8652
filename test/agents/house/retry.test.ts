import assert from "node:assert/strict";
import { test } from "node:test";
import { CutStream, judge, RETRY_POLICY, retryAfterMs, waitBefore } from "../../../src/agents/house/model/retry.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const http = (statusCode: number, isRetryable: boolean, more: object = {}): Error =>
  Object.assign(new Error("said the server"), { statusCode, isRetryable, ...more });

const named = (statusCode: number, message: string): Error =>
  Object.assign(new Error(message), { statusCode, isRetryable: false });

const verdicts: [name: string, error: unknown, retryable: boolean, code: string][] = [
  ["429", http(429, true), true, "model_rate_limited"],
  ["529", http(529, true), true, "model_failed"],
  ["400", http(400, false), false, "model_failed"],
  ["401", http(401, false), false, "model_auth"],
  ["403", http(403, false), false, "model_auth"],
  [
    "429 without money",
    http(429, true, { responseBody: '{"code":"insufficient_quota"}' }),
    false,
    "model_rate_limited",
  ],
  ["a cut stream", new CutStream(), true, "model_failed"],
  ["a broken connection", new TypeError("terminated"), true, "model_failed"],
  [
    "one that broke further down",
    new Error("failed", { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }),
    true,
    "model_failed",
  ],
  [
    "overloaded, in the stream",
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    true,
    "model_failed",
  ],
  ["a server's error, in the stream", { type: "server_error", message: "oops" }, true, "model_failed"],
  ["a refusal, in the stream", { type: "invalid_request_error", message: "no" }, false, "model_failed"],
  [
    "400 with a word that sounds like trouble",
    named(400, "tool 'open_socket': network is unknown"),
    false,
    "model_failed",
  ],
  [
    "a prompt too long, Anthropic",
    named(400, "prompt is too long: 215000 tokens > 200000 maximum"),
    false,
    "context_full",
  ],
  ["no room for the answer", named(400, "input length and `max_tokens` exceed context limit"), false, "context_full"],
  [
    "a prompt too long, OpenAI",
    named(400, "Your input exceeds the context window of this model."),
    false,
    "context_full",
  ],
  [
    "too long by its code",
    http(400, false, { responseBody: '{"code":"context_length_exceeded"}' }),
    false,
    "context_full",
  ],
  ["too long, in the stream", { type: "error", error: { code: "context_length_exceeded" } }, false, "context_full"],
  [
    "no money, in the stream",
    { type: "server_error", code: "insufficient_quota", message: "no" },
    false,
    "model_failed",
  ],
  ["a bug", new RangeError("bad index"), false, "model_failed"],
  ["a text", "something", false, "model_failed"],
];

for (const [name, error, retryable, code] of verdicts) {
  test(`${name} is ${retryable ? "" : "not "}tried again`, () => {
    const verdict = judge(error, NOW);
    assert.deepEqual([verdict.retryable, verdict.failure.code], [retryable, code]);
    assert.ok(verdict.failure.message.length > 0);
  });
}

const headers: [given: Record<string, string> | undefined, ms: number | undefined][] = [
  [undefined, undefined],
  [{}, undefined],
  [{ "retry-after": "2" }, 2_000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": " " }, undefined],
  [{ "retry-after": "9", "retry-after-ms": "120" }, 120],
];

for (const [given, ms] of headers) {
  test(`${JSON.stringify(given)} asks for ${ms} ms`, () => assert.equal(retryAfterMs(given, NOW), ms));
}

test("waits grow, up to a limit; a server's wish counts", () => {
  const waits = [1, 2, 3, 7, 20].map((attempt) => waitBefore(attempt, undefined, RETRY_POLICY));
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 60_000, 60_000]);
  assert.equal(waitBefore(1, 90_000, RETRY_POLICY), 90_000);
});

test("a wait of hours ends the turn and is told", () => {
  const busy = (after: string): Error => http(429, true, { responseHeaders: { "retry-after": after } });
  assert.equal(judge(busy("60"), NOW, RETRY_POLICY.patienceMs).retryable, true);
  for (const after of ["7200", "Thu, 01 Jan 2026 02:00:00 GMT"]) {
    const { retryable, failure } = judge(busy(after), NOW, RETRY_POLICY.patienceMs);
    assert.equal(retryable, false);
    assert.match(failure.message, /asks to wait 120 minutes: send the prompt again then/);
  }
});

test("the message says what a person can do", () => {
  assert.match(judge(http(401, false), NOW).failure.message, /check the key/);
  assert.match(judge(named(400, "prompt is too long"), NOW).failure.message, /start a new session, or choose a model/);
});
