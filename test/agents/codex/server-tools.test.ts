import assert from "node:assert/strict";
import { test } from "node:test";
import { serverTools } from "../../../src/agents/codex/calls/server-tools.ts";

const LISTED = {
  data: [
    { name: "my-server", tools: { "get-issue": {}, get: {}, "a.b": {}, "a-b": {} } },
    { name: "plain", tools: { __run__: {}, ünï: {}, run: {} } },
    { name: "broken" },
  ],
};

const CALLS: [told: string, meant: string[]][] = [
  ["mcp__my_server__get_issue", ["mcp__my-server__get-issue"]],
  ["mcp__my_server__get", ["mcp__my-server__get"]],
  ["mcp__my_server__a_b_19d1863c8aa7", ["mcp__my-server__a.b", "mcp__my-server__a-b"]],
  ["mcp__plain__run", ["mcp__plain__run"]],
  ["mcp__plain__run__", ["mcp__plain____run__"]],
  ["mcp__plain__n_", ["mcp__plain__ünï"]],
  ["mcp__unknown__tool", ["mcp__unknown__tool"]],
];

test("a call of a server's tool goes by the name that people know it by", () => {
  for (const [told, meant] of CALLS) assert.deepEqual(serverTools(told, LISTED), meant, told);
  assert.deepEqual(serverTools("mcp__a__b", {}), ["mcp__a__b"]);
});
