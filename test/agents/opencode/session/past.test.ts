import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pastOf } from "../../../../src/agents/opencode/past.ts";
import type { Fields } from "../../../../src/core/json/fields.ts";
import type { Signal } from "../../../../src/core/ledger/signals.ts";

const text = (id: string, words: string, more: Fields = {}): Fields => ({
  id: `prt_${id}`,
  type: "text",
  text: words,
  time: { start: 1, end: 2 },
  ...more,
});
const user = (id: string, ...parts: Fields[]): Fields => ({
  info: { id, role: "user", agent: "build", model: { providerID: "fake", modelID: "m" } },
  parts,
});
const agent = (id: string, parentID: string, parts: Fields[], more: Fields = {}): Fields => ({
  info: { id, role: "assistant", parentID, time: { created: 1, completed: 2 }, finish: "stop", ...more },
  parts,
});

/** The past in short words. */
function told(messages: readonly Fields[]): string[] {
  const short = (signal: Signal): string => {
    if (signal.type === "replay.prompt")
      return `prompt ${signal.parts.map((part) => (part.type === "text" ? part.text : `[${part.name}]`)).join("|")}`;
    if (signal.type === "text.done") return `text ${signal.text}`;
    if (signal.type === "tool.done") return `tool ${signal.ok}`;
    return signal.type === "turn.finished" ? `end ${signal.reason}` : signal.type;
  };
  const all = pastOf(messages, "ses_1", "/work");
  assert.equal(all[0]?.type, "replay.begun");
  assert.equal(all.at(-1)?.type, "replay.ended");
  return all
    .slice(1, -1)
    .map(short)
    .filter((one) => !/^(?:step|tool\.)/.test(one));
}

describe("the conversation so far", () => {
  test("is empty for an empty session", () => assert.deepEqual(told([]), []));

  test("has each prompt and all that was said to it, each turn with its end", () => {
    const lines = told([
      user("msg_1", text("1", "One")),
      agent("msg_2", "msg_1", [text("2", "First")], { finish: "tool-calls" }),
      agent("msg_3", "msg_1", [text("3", "Second")]),
      user("msg_4", text("4", "Two")),
      agent("msg_5", "msg_4", [text("5", "Third")]),
    ]);
    assert.deepEqual(lines, [
      "prompt One",
      "text First",
      "text Second",
      "end end_turn",
      "prompt Two",
      "text Third",
      "end end_turn",
    ]);
  });

  test("says nothing that only a running turn has", () => {
    const failed = { error: { name: "APIError", data: { message: "bad", statusCode: 400 } } };
    const all = pastOf([user("msg_1", text("1", "One")), agent("msg_2", "msg_1", [], failed)], "ses_1", "/work");
    const types = new Set(all.map(({ type }) => type));
    for (const live of ["turn.begun", "session", "status", "error"] as const) assert.ok(!types.has(live), live);
    const end = all.find((signal) => signal.type === "turn.finished");
    assert.deepEqual([end?.reason, end?.error?.message], ["error", "bad"]);
  });

  test("shows the files of a prompt", () => {
    const data = { id: "prt_a", type: "file", url: "data:image/png;base64,aa", mime: "image/png", filename: "a.png" };
    const [named, bare] = [
      { id: "prt_b", type: "file", url: "file:///work/b.txt", filename: "b.txt" },
      { id: "prt_c", type: "file", url: "file:///work/c.txt" },
    ];
    const synthetic = text("s", "Called the Read tool", { synthetic: true });
    const lines = told([user("msg_1", text("1", "Look"), synthetic, data, named, bare, { type: "agent" })]);
    assert.equal(lines[0], "prompt Look|[a.png]|(file: b.txt)|(file: file:///work/c.txt)");
  });

  test("keeps a message without words of the user in the turn before it", () => {
    const lines = told([
      user("msg_1", text("1", "One")),
      agent("msg_2", "msg_1", [text("2", "First")]),
      user("msg_3", { id: "prt_3", type: "compaction", auto: true }),
      agent("msg_4", "msg_3", [text("4", "Summary")], { summary: true }),
      user("msg_5", text("5", "Continue", { synthetic: true })),
      agent("msg_6", "msg_5", [text("6", "Second")]),
    ]);
    assert.deepEqual(lines, ["prompt One", "text First", "text Summary", "text Second", "end end_turn"]);
  });

  test("begins with the agent where the user's words are not kept", () => {
    assert.deepEqual(told([agent("msg_1", "msg_0", [text("1", "Hi")])]), ["prompt ", "text Hi", "end end_turn"]);
  });

  test("ends calls, and steps that never ended", () => {
    const state = { status: "completed", input: { command: "ls" }, output: "a", title: "ls", metadata: {} };
    const call = { id: "prt_t", type: "tool", tool: "bash", callID: "call_1", state };
    const open = {
      ...agent("msg_2", "msg_1", [call, text("2", "Half")]),
      info: { id: "msg_2", role: "assistant", parentID: "msg_1" },
    };
    assert.deepEqual(told([user("msg_1", text("1", "One")), open]), [
      "prompt One",
      "tool true",
      "text Half",
      "end end_turn",
    ]);
  });

  test("does not tell what sub-agents said", () => {
    const state = { status: "completed", input: {}, output: "done", metadata: { sessionId: "ses_child" } };
    const call = { id: "prt_t", type: "tool", tool: "task", callID: "call_1", state };
    const lines = told([user("msg_1", text("1", "One")), agent("msg_2", "msg_1", [call])]);
    assert.deepEqual(lines, ["prompt One", "tool true", "end end_turn"]);
  });
});
