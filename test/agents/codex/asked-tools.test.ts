import assert from "node:assert/strict";
import { test } from "node:test";
import { newDecodeState } from "../../../src/agents/codex/decode/state.ts";
import { opened } from "../../../src/agents/codex/decode/written.ts";
import { decodeLine } from "../../../src/agents/codex/decode.ts";
import type { PermissionSignal } from "../../../src/core/ledger/signals.ts";

const ABOUT = { threadId: "thread", turnId: "turn" };
const begun = { method: "turn/started", params: { threadId: "thread", turn: { id: "turn" } } };

function call(id: string, tool: string, input: object = {}): object {
  const item = { type: "mcpToolCall", id, server: "desk", tool, arguments: input, status: "inProgress" };
  return { method: "item/started", params: { ...ABOUT, item } };
}

function asks(id: number, words: string, input: object = {}): object {
  const _meta = { codex_approval_kind: "mcp_tool_call", tool_params: input };
  const params = { ...ABOUT, serverName: "desk", mode: "form", message: `run tool ${words}?`, _meta };
  return { method: "mcpServer/elicitation/request", id, params };
}

function permissions(...lines: object[]): (string | undefined)[][] {
  let state = opened(newDecodeState("/project", "start"), "thread", false);
  const said = [begun, ...lines].flatMap((line) => {
    const decoded = decodeLine(state, JSON.stringify(line), 0);
    state = decoded.state;
    return decoded.said.map(({ signal }) => signal);
  });
  const asked = said.filter((signal): signal is PermissionSignal => signal.type === "permission");
  return asked.map(({ action, call: key }) => [action, key]);
}

test("of several calls of a server the one that is named is asked about", () => {
  const lines = [call("1", "read"), call("2", "remove"), asks(0, '"remove"'), asks(1, '"read"')];
  assert.deepEqual(permissions(...lines), [
    ["mcp__desk__remove", "turn:2"],
    ["mcp__desk__read", "turn:1"],
  ]);
});

test("an ask that names none of several tools is for no tool's rule", () => {
  assert.deepEqual(permissions(call("1", "read"), call("2", "remove"), asks(0, "Tidy up")), [["mcp__desk", "turn:1"]]);
  assert.deepEqual(permissions(asks(0, '"read"')), [["mcp__desk", undefined]]);
});

test("of calls of one tool each is asked about once, by what it is given", () => {
  const told = [
    call("1", "read", { a: 1, b: 2 }),
    call("2", "read", { a: 2, b: 2 }),
    call("3", "read", { a: 2, b: 2 }),
  ];
  const asked = [
    asks(0, '"read"', { b: 2, a: 2 }),
    asks(1, '"read"', { a: 2, b: 2 }),
    asks(2, '"read"', { b: 2, a: 1 }),
  ];
  assert.deepEqual(
    permissions(...told, ...asked).map(([, key]) => key),
    ["turn:2", "turn:3", "turn:1"],
  );
});
