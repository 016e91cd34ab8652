import assert from "node:assert/strict";
import test from "node:test";
import { stage, textOf } from "./stage.ts";

test("a prompt is answered once, after all of its updates", async (t) => {
  const { agent, server, updates, messages } = await stage(t);
  const { sessionId } = await agent.request("session/new", { cwd: server.directory, mcpServers: [] });
  const answer = await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hello" }] });
  assert.equal(answer.stopReason, "end_turn");
  assert.match(textOf(updates), /You said: hello$/);
  const last = messages.findLastIndex(({ message }) => message.method === "session/update");
  const response = messages.findLastIndex(({ from, message }) => from === "agent" && "result" in message);
  assert.ok(last < response);
});
