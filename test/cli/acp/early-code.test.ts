import assert from "node:assert/strict";
import { test } from "node:test";
import { cachedDataVersionTag } from "node:v8";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { earlyCode } from "../../../src/cli/acp/early-code.ts";

const update = (sessionUpdate: string): AnyMessage => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "ses_a", update: { sessionUpdate, content: { type: "text", text: "hello" } } },
});

test("V8's flags change with the first piece of an answer, once, and not before", () => {
  const hear = earlyCode();
  const kept = cachedDataVersionTag();
  hear({ jsonrpc: "2.0", id: 1, result: { text: "agent_message_chunk" } });
  hear(update("available_commands_update"));
  assert.equal(cachedDataVersionTag(), kept, "code that was compiled before can still be loaded");
  hear(update("agent_message_chunk"));
  const changed = cachedDataVersionTag();
  assert.notEqual(changed, kept);
  hear(update("agent_message_chunk"));
  assert.equal(cachedDataVersionTag(), changed);
});
