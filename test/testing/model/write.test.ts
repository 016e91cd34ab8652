import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic } from "../../../src/testing/model/anthropic/write.ts";
import { chat } from "../../../src/testing/model/chat/write.ts";
import type { Encoder, Frame, Making } from "../../../src/testing/model/frames.ts";
import { compose } from "../../../src/testing/model/reply.ts";
import { responses } from "../../../src/testing/model/responses/write.ts";
import { PLACES, type Place, STOPS, type Step } from "../../../src/testing/model/script.ts";
import { troubleOf, until } from "../../../src/testing/model/trouble.ts";

const ENCODERS: readonly [string, Encoder][] = [
  ["anthropic", anthropic],
  ["responses", responses],
  ["chat", chat],
];

const TOOLS = [
  { name: "patch", form: "custom" as const },
  { name: "ask", namespace: "mcp__lab" },
  { name: "tool_search", form: "tool_search" as const },
  { name: "web_search", form: "web_search" as const },
];

function making(): Making {
  let made = 0;
  const newId = (prefix: string) => `${prefix}${++made}`;
  return { model: "m", created: 1, newId, tools: TOOLS, wantsUsage: true };
}

function framesOf(encoder: Encoder, step: Step): Frame[] {
  return encoder.frames(compose(step, 40, 0), making());
}

function dataOf(frames: readonly Frame[]): string {
  return frames.map((frame) => frame.data).join("");
}

const FULL: Step = {
  reasoning: "I think so.",
  text: ["Hel", "lo ", { text: "there.", delay: 7, hold: "gate" }],
  tools: [
    { name: "read", input: { path: "a".repeat(60) }, id: "call_a" },
    { name: "bash", input: { command: "ls" }, delay: 9 },
  ],
  finish: { hold: "end" },
};

for (const [name, encoder] of ENCODERS) {
  test(`${name}: a full reply, frame by frame`, (t) => {
    t.assert.snapshot(dataOf(framesOf(encoder, FULL)), { serializers: [(value) => value] });
  });

  test(`${name}: the same reply without a stream`, (t) => {
    t.assert.snapshot(encoder.whole(compose(FULL, 40, 0), making()));
  });

  test(`${name}: pauses come before the frame that they belong to`, () => {
    const paused = framesOf(encoder, FULL).filter((frame) => frame.delay || frame.hold);
    assert.deepEqual(
      paused.map(({ delay, hold, at }) => ({ delay, hold, at })),
      [
        { delay: 7, hold: "gate", at: "text" },
        { delay: 9, hold: undefined, at: "bound" },
        { delay: undefined, hold: "end", at: "end" },
      ],
    );
    assert.ok(paused[1]?.data.includes("bash"));
  });

  test(`${name}: a pace is before every piece`, () => {
    const frames = encoder.frames(compose({ text: "a b c", pace: 4 }, 0, 9), making());
    assert.deepEqual(
      frames.filter((frame) => frame.at === "text").map((frame) => frame.delay),
      [4, 4, 4],
    );
    const usual = encoder.frames(compose({ text: "a b" }, 0, 9), making());
    assert.deepEqual(
      usual.filter((frame) => frame.at === "text").map((frame) => frame.delay),
      [9, 9],
    );
  });

  test(`${name}: stop reasons`, (t) => {
    const ends = STOPS.map((stop) =>
      dataOf(framesOf(encoder, { text: "x", stop }).filter((frame) => frame.at === "end")),
    );
    t.assert.snapshot(ends.join("---\n"), { serializers: [(value) => value] });
  });

  const KEPT: readonly [Place, (frames: readonly Frame[]) => number][] = [
    ["start", () => 0],
    ["open", (frames) => frames.filter((frame) => frame.at === "open").length],
    ["reasoning", (frames) => nth(frames, "reasoning", 1)],
    ["text", (frames) => nth(frames, "text", 1)],
    ["end", (frames) => frames.findIndex((frame) => frame.at === "end")],
  ];
  for (const [place, count] of KEPT) {
    test(`${name}: what is left when a reply stops at ${place}`, () => {
      const frames = framesOf(encoder, FULL);
      assert.deepEqual(until(frames, place), frames.slice(0, count(frames)));
    });
  }

  test(`${name}: stopped within a tool's input, the tools before it are whole`, () => {
    const frames = framesOf(encoder, {
      tools: [
        { name: "a", input: { command: "x".repeat(500) } },
        { name: "b", input: { command: "x".repeat(100) } },
      ],
    });
    const kept = until(frames, "tool");
    const inputs = (some: readonly Frame[], part: number) =>
      some.filter((frame) => frame.at === "tool" && frame.part === part).length;
    assert.equal(inputs(kept, 0), inputs(frames, 0));
    assert.ok(inputs(kept, 1) > 0 && inputs(kept, 1) < inputs(frames, 1));
  });

  test(`${name}: an error in the stream and one of HTTP`, (t) => {
    const detail = { message: "too much", type: "overloaded_error", code: "c" };
    t.assert.snapshot(encoder.errorFrame(detail, making()), { serializers: [(value) => value] });
    t.assert.snapshot([400, 401, 429, 500, 529].map((status) => encoder.failure(status, { message: "m" })));
    t.assert.snapshot(encoder.failure(429, detail));
  });
}

interface FrameData {
  type: string;
  item?: object;
}

/** The number of the frame with the nth piece of a kind. */
function nth(frames: readonly Frame[], at: Place, n: number): number {
  return frames.flatMap((frame, index) => (frame.at === at ? [index] : []))[n] ?? -1;
}

test("every place is covered", () => {
  assert.deepEqual(PLACES, ["start", "open", "reasoning", "text", "tool", "end"]);
});

test("responses: a tool of free text gets its input as it is", () => {
  const data = dataOf(framesOf(responses, { tools: [{ name: "patch", input: "*** Begin" }] }));
  assert.match(data, /"type":"custom_tool_call".*"input":"\*\*\* Begin"/);
  assert.match(data, /response\.custom_tool_call_input\.delta/);
});

test("responses: a search for tools and one of the service's own are items of their own", () => {
  const step: Step = {
    parts: [
      { tool: { name: "web_search", input: { query: "the docs" } } },
      { text: "Found." },
      { tool: { name: "tool_search", input: { query: "ask" }, id: "c1" } },
    ],
  };
  const told = framesOf(responses, step).map(({ data }) => JSON.parse(data.slice(data.indexOf("{"))) as FrameData);
  const items = told.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []));
  assert.deepEqual(items[0], {
    id: "ws_2",
    type: "web_search_call",
    status: "completed",
    action: { type: "search", query: "the docs" },
  });
  const search = { id: "tsc_4", type: "tool_search_call", call_id: "c1", execution: "client" };
  assert.deepEqual(items[2], { ...search, arguments: { query: "ask" }, status: "completed" });
  assert.deepEqual(
    told.flatMap(({ type }) => (type.includes("search") || type.includes("arguments") ? [type] : [])),
    ["in_progress", "searching", "completed"].map((state) => `response.web_search_call.${state}`),
  );
});

test("responses: a call names the namespace of its tool", () => {
  const data = dataOf(framesOf(responses, { tools: [{ name: "ask" }] }));
  assert.match(data, /"type":"function_call","call_id":"call_\d+","name":"ask","namespace":"mcp__lab"/);
});

test("chat: usage comes only to who wants it", () => {
  const reply = compose({ text: "x" }, 0, 0);
  const quiet = dataOf(chat.frames(reply, { ...making(), wantsUsage: false }));
  assert.ok(!quiet.includes("usage") && quiet.endsWith("data: [DONE]\n\n"));
});

test("usage that nobody scripted grows with the conversation", () => {
  const { usage } = compose({ text: "12345678", reasoning: "1234" }, 400, 0);
  assert.deepEqual(usage, { input: 100, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 1 });
});

const A = { status: 429 };
const B = { cut: "text" } as const;
const ATTEMPTS: readonly [string, Step["fail"], readonly unknown[]][] = [
  ["none", undefined, [undefined, undefined]],
  ["always", A, [A, A, A]],
  ["twice, then ok", { ...A, times: 2 }, [{ ...A, times: 2 }, { ...A, times: 2 }, undefined]],
  ["a list, once each, then ok", [A, B], [A, B, undefined]],
  ["a list with times", [{ ...A, times: 2 }, B], [{ ...A, times: 2 }, { ...A, times: 2 }, B, undefined]],
];
for (const [name, fail, expected] of ATTEMPTS) {
  test(`trouble by attempt: ${name}`, () => {
    assert.deepEqual(
      expected.map((_, attempt) => troubleOf({ text: "x", fail }, attempt)),
      expected,
    );
  });
}
